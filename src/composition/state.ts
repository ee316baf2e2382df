import path from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { beginJournal } from '../journal/open-journal.ts';
import { type Journal, JournalError, type JournalWatcher } from '../ports/journal.ts';
import type { Log } from '../supervision/log.ts';
import { privateState } from './privacy.ts';
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
    const { opening } = await beginJournal(path.join(stateDir, 'journal.db'), {
      retentionDays: retention.days,
      reasonOf: recordedReason,
      watchers,
      onLongOpening,
      onArchiveFailure: (error) => log.failure('archive', error),
      onChecked: ({ reason }) => reason !== undefined && log.warn('journal', { reason }),
    });
    const told = opening.then(
      (journal) => {
        if (journal.putBack !== undefined) log.warn('journal', { reason: journal.putBack });
        return journal;
      },
      (error: unknown) => refuseJournal(stateDir, error),
    );
    told.catch(() => undefined);
    return { opening: told, close: async () => (await told.catch(() => undefined))?.close() };
  } catch (error) {
    return refuseJournal(stateDir, error);
  }
}

function refuseJournal(stateDir: string, error: unknown): never {
  if (error instanceof JournalError && error.code === 'in-use') {
    throw new StartError(`another poid runs on the state directory ${stateDir}`);
  }
  throw new StartError(`the journal in ${stateDir} can't be opened: ${(error as Error).message}`);
}
