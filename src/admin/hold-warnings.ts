import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfiguration } from '../config/load.ts';
import { AcquirersInUse } from '../main/composition/acquirers-in-use.ts';
import { findHolds } from '../main/composition/find-holds.ts';
import { holdText } from '../main/composition/held-acquirers.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { withIdleJournal } from './idle-journal.ts';

/**
 * Which acquirers would take no payments with this configuration, because its own state directory has unsettled payments
 * of them. Empty where there is no journal that the caller can read, and while the terminal runs: status and `poid doctor`
 * tell it then.
 */
export async function holdWarnings(file: string): Promise<readonly string[]> {
  const configuration = await loadConfiguration([file], {}, { keys: 'unread' });
  const { stateDir } = configuration;
  if (!existsSync(path.join(stateDir, 'journal.db'))) return [];
  try {
    return await withIdleJournal(stateDir, async (_lines, reading) => {
      if (!reading) return [];
      const { holds } = await findHolds(configuration, await AcquirersInUse.open(stateDir), reading);
      return holds.map(holdText);
    });
  } catch (error) {
    const isClosed = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!(error instanceof JournalError) && !isClosed) throw error;
    return [];
  }
}
