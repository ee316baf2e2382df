import path from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { openJournal } from '../journal/journal.ts';
import { type Journal, JournalError } from '../ports/journal.ts';
import type { Log } from '../supervision/log.ts';
import { privateState } from './privacy.ts';
import { recordedReason } from './recorded-reasons.ts';
import { StartError } from './start-error.ts';

/** The state directory, and the journal in it. Rejects with StartError. */
export async function openState(
  { stateDir, retention }: Configuration,
  log: Log,
  onLongOpening: () => void,
): Promise<Journal> {
  await privateState(stateDir, log).catch((error: unknown) => {
    throw new StartError(`the state directory can't be used: ${(error as Error).message}`);
  });
  try {
    const journal = await openJournal(path.join(stateDir, 'journal.db'), {
      retentionDays: retention.days,
      reasonOf: recordedReason,
      onLongOpening,
      onArchiveFailure: (error) => log.failure('archive', error),
      onChecked: ({ reason }) => reason !== undefined && log.warn('journal', { reason }),
    });
    if (journal.putBack !== undefined) log.warn('journal', { reason: journal.putBack });
    return journal;
  } catch (error) {
    if (error instanceof JournalError && error.code === 'in-use') {
      throw new StartError(`another poid runs on the state directory ${stateDir}`);
    }
    throw new StartError(`the journal in ${stateDir} can't be opened: ${(error as Error).message}`);
  }
}
