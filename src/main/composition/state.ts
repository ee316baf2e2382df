import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';
import { inState } from '../../base/domain/written-files.ts';
import type { Configuration } from '../../config/configuration.ts';
import { beginJournal } from '../../journal/open-journal.ts';
import { type Journal, JournalError, type JournalWatcher } from '../../payment/contracts/journal.ts';
import type { Log } from '../../observability/log.ts';
import { isOnTrial } from '../../observability/trial.ts';
import { privateState } from '../../base/secrets/private-state.ts';
import { recordedReason } from './recorded-reasons.ts';
import { StartError } from './start-error.ts';

interface ClaimedState {
  /** The journal takes a thread of its own to open: other parts may be opened meanwhile. */
  readonly opening: Promise<Journal>;
  /** A journal that did not open needs no closing. */
  close(): Promise<void>;
}

/**
 * Claims the state directory, and begins to open the journal in it. Resolves once no other terminal can use either: its
 * devices may be opened meanwhile. Rejects with StartError, and so does `opening`, whose rejection is never unhandled.
 */
export async function claimState(
  { stateDir, retention }: Configuration,
  log: Log,
  watchers: readonly JournalWatcher[],
  onLongOpening: () => void,
): Promise<ClaimedState> {
  await privateState(stateDir, log).catch((error: unknown) => {
    throw new StartError(`the state directory can't be used: ${(error as Error).message}`);
  });
  try {
    const { opening } = await beginJournal(inState(stateDir, 'journal.db'), {
      isOnTrial: await isOnTrial(),
      retentionDays: retention.days,
      reasonOf: recordedReason,
      watchers,
      onLongOpening,
      onArchiveFailure: (error) => log.failure('archive', error),
      onChecked: ({ reason }) => reason !== undefined && log.warn('journal', { reason }),
    });
    const reported = opening.then(
      (journal) => {
        if (journal.putBack !== undefined) log.warn('journal', { reason: journal.putBack });
        reportMigration(journal, log);
        return journal;
      },
      (error: unknown) => refuseJournal(stateDir, error),
    );
    reported.catch(() => undefined);
    return { opening: reported, close: async () => (await reported.catch(() => undefined))?.close() };
  } catch (error) {
    return refuseJournal(stateDir, error);
  }
}

function reportMigration({ schema }: Journal, log: Log): void {
  if (schema?.migration === 'onTrial')
    log.info('journal', { reason: 'its migration waits until this version is accepted' });
  if (schema?.fault !== undefined) log.warn('journal', { reason: `it could not be migrated: ${schema.fault}` });
}

function refuseJournal(stateDir: string, error: unknown): never {
  if (error instanceof JournalError && error.code === 'in-use') {
    throw new StartError(`another poid runs on the state directory ${stateDir}`);
  }
  const closed = findClosedFile(stateDir);
  const why = closed === undefined ? (error as Error).message : `this user may not read and write ${closed}: chown it`;
  throw new StartError(`the journal in ${stateDir} can't be opened: ${why}`);
}

/** A file of the journal that belongs to another user: SQLite reports only that it can't open a file. */
function findClosedFile(stateDir: string): string | undefined {
  try {
    const files = readdirSync(stateDir).filter((name) => name.startsWith('journal.'));
    return files.map((name) => path.join(stateDir, name)).find((file) => !mayChange(file));
  } catch {
    // The directory itself can't be entered, which the journal has reported.
    return undefined;
  }
}

function mayChange(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
