import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';

/**
 * An open batch whose latest settlement has failed: its host has received nothing about it, so its transactions are in
 * the open batch again.
 */
export interface FailedBatch {
  readonly acquirerId: AcquirerId;
  /** The number of the open batch. */
  readonly batch: number;
  /** When that settlement was requested, ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

export type SettlementHistory = Pick<Journal, 'latestSettlements' | 'settlingBatches' | 'openBatch'>;

/** Enough for every acquirer of a terminal to have one: a failed settlement is repeated every half hour at least. */
const settlementsMax = 50;

/** Rejects with JournalError. */
export async function readFailedBatches(journal: SettlementHistory): Promise<readonly FailedBatch[]> {
  const latest = new Map<AcquirerId, Omit<FailedBatch, 'batch'> | undefined>();
  for (const { at, results = [] } of await journal.latestSettlements(settlementsMax)) {
    const known = new Set(latest.keys());
    for (const { acquirerId, result, reason = '' } of results) {
      if (known.has(acquirerId)) continue;
      latest.set(acquirerId, result === 'FAILED' ? { acquirerId, at, reason } : undefined);
    }
  }
  const failed: FailedBatch[] = [];
  for (const each of latest.values()) {
    // A closed batch is repeated by itself, and the open one waits for it.
    if (!each || (await journal.settlingBatches(each.acquirerId)).length > 0) continue;
    failed.push({ ...each, batch: await journal.openBatch(each.acquirerId) });
  }
  return failed;
}
