import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Amount, groupedText } from '../base/domain/amount.ts';
import { recordedReason } from '../main/composition/recorded-reasons.ts';
import { DirectoryLock } from '../journal/directory-lock.ts';
import { plainText } from '../base/domain/plain-text.ts';
import { journalError } from '../journal/failure.ts';
import { JournalReading } from '../journal/journal-reading.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { asOwnerOf } from '../base/secrets/state-owner.ts';
import { unsettledMoney, unsettledText } from '../payment/records/unsettled.ts';

/**
 * The unsettled money that can be completed only from the journal in this directory, a line each. If the list is empty,
 * the journal may be removed. Works without the daemon, and writes nothing. Rejects with JournalError if it is unknown.
 */
export function unsettledLines(stateDir: string, money = groupedText): Promise<string[]> {
  return withIdleJournal(stateDir, async (lines) => lines, money);
}

/**
 * Calls `work` with the unsettled money of this directory's journal. No daemon can start on the journal meanwhile. The
 * journal is read with the rights of the directory's owner, `work` is done with those of the caller. Rejects with
 * JournalError while one runs.
 */
export async function withIdleJournal<Result>(
  stateDir: string,
  work: (lines: string[], reading: JournalReading | undefined) => Promise<Result>,
  money: (amount: Amount) => string = groupedText,
): Promise<Result> {
  const file = path.join(stateDir, 'journal.db');
  const reading = await asOwnerOf(stateDir, () => JournalReading.open(file, recordedReason)).catch(explain);
  if (reading) {
    try {
      const lines = await asOwnerOf(stateDir, () => linesOf(reading, money));
      return await work(reading.putBack === undefined ? lines : [reading.putBack, ...lines], reading);
    } finally {
      await asOwnerOf(stateDir, async () => reading.close());
    }
  }
  return withJournalLock(stateDir, () => work([], undefined));
}

/**
 * Calls `work` while no daemon can start on the journal of this directory. Rejects with JournalError while one runs.
 */
export async function withJournalLock<Result>(stateDir: string, work: () => Promise<Result>): Promise<Result> {
  const file = path.join(stateDir, 'journal.db');
  const lock = existsSync(stateDir) ? await DirectoryLock.take(file).catch(explain) : undefined;
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

async function linesOf(reading: JournalReading, money: (amount: Amount) => string): Promise<string[]> {
  const found = await unsettledMoney(reading).catch((error: unknown) => {
    throw journalError(error);
  });
  return found.map((each) => plainText(unsettledText(each, money)));
}

function explain(error: unknown): never {
  if (!(error instanceof JournalError) || error.code !== 'in-use') throw error;
  throw new JournalError('in-use', 'the terminal runs and has its journal open: stop it first (systemctl stop poid)');
}
