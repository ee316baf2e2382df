import { settlementActorOf } from '../base/domain/settlement-fault.ts';
import type { MenuView, UnsettledBatch } from '../payment/contracts/operator-menu.ts';
import { readFailedBatches, type SettlementHistory } from '../payment/records/failed-batches.ts';
import { knownAcquirers } from './acquirers.ts';
import { isStuck, type WaitingParts } from './waiting.ts';
import { countUndecidedBatches, waitingBatches, type WaitingBatchParts } from './waiting-batch.ts';

export interface WaitingCountParts extends WaitingParts, WaitingBatchParts {
  readonly journal: WaitingParts['journal'] & WaitingBatchParts['journal'];
}

/**
 * Batches that were to be settled and are not: closed ones, and the open ones of a host that could not be asked.
 * Rejects with JournalError.
 */
export async function listUnsettledBatches(
  parts: WaitingCountParts & { readonly journal: SettlementHistory },
): Promise<readonly UnsettledBatch[]> {
  const [closed, open] = await Promise.all([waitingBatches(parts), readFailedBatches(parts.journal)]);
  const failed = closed.filter(({ attempts }) => attempts > 0);
  const all = [...failed, ...open.map((each) => ({ ...each, acquirer: each.acquirerId }))];
  // A batch with two currencies is one line.
  const named = new Map(all.map((each) => [`${each.acquirer} ${each.batch}`, each]));
  return [...named.values()].map(({ acquirer, batch, reason }) => {
    return { acquirer, batch, actor: settlementActorOf(reason) };
  });
}

/** The numbers of items that wait for a bank or for the operator. Rejects with JournalError. */
export async function countWaiting(parts: WaitingCountParts): Promise<MenuView['waiting']> {
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
