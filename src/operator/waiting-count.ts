import type { DeskView } from '../ports/desk.ts';
import { knownAcquirers } from './acquirers.ts';
import { isStuck, type WaitingParts } from './waiting.ts';
import { countUndecidedBatches, waitingBatches, type WaitingBatchParts } from './waiting-batch.ts';

export interface WaitingCountParts extends WaitingParts, WaitingBatchParts {
  readonly journal: WaitingParts['journal'] & WaitingBatchParts['journal'];
}

/** The acquirers that a settlement has failed with, and that still have its batch. Rejects with JournalError. */
export async function listFailedBanks(parts: WaitingCountParts): Promise<readonly string[]> {
  const batches = await waitingBatches(parts);
  return [...new Set(batches.filter(({ attempts }) => attempts > 0).map(({ acquirer }) => acquirer))];
}

/** How much waits for a bank or for the operator. Rejects with JournalError. */
export async function countWaiting(parts: WaitingCountParts): Promise<DeskView['waiting']> {
  const { journal } = parts;
  const [pending, batches, rejected] = await Promise.all([
    journal.pending(),
    countUndecidedBatches(parts),
    knownAcquirers(parts).then((ids) => Promise.all(ids.map((id) => journal.rejectedAdvices(id)))),
  ]);
  const count = (message: string) => pending.filter((each) => each.message === message).length;
  return {
    reversals: count('reversal'),
    advices: count('advice'),
    rejected: rejected.flat().length,
    unsendable: pending.filter((each) => isStuck(each, parts)).length,
    batches,
  };
}
