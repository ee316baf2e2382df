import path from 'node:path';
import { recordedReason } from '../composition/recorded-reasons.ts';
import { JournalReading } from '../journal/journal-reading.ts';
import { JournalError } from '../ports/journal.ts';
import { unsettledMoney, unsettledText } from '../records/unsettled.ts';

/**
 * What of the shop's money only the journal in this directory can bring to its end, a line each. Empty: it may be
 * removed. Works without the daemon, and writes nothing. Rejects with JournalError if that can't be told.
 */
export async function unsettledLines(stateDir: string): Promise<string[]> {
  const reading = await JournalReading.open(path.join(stateDir, 'journal.db'), recordedReason).catch(explain);
  if (!reading) return [];
  try {
    const lines = (await unsettledMoney(reading)).map(unsettledText);
    return reading.putBack === undefined ? lines : [reading.putBack, ...lines];
  } finally {
    reading.close();
  }
}

function explain(error: unknown): never {
  if (!(error instanceof JournalError) || error.code !== 'in-use') throw error;
  throw new JournalError('in-use', 'the terminal runs and has its journal open: stop it first (systemctl stop poid)');
}
