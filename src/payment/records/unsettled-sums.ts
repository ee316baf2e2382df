import { majorText } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import { factsOf } from '../../base/domain/transaction-kind.ts';
import type { KindTotal } from '../events/settlement.ts';
import type { Journal } from '../contracts/journal.ts';
import { readBatch } from './batch-reader.ts';

/** Of one currency. */
export interface UnsettledSum {
  readonly currency: CurrencyCode;
  readonly count: number;
  /** Refunds taken off; major units, exactly. */
  readonly amount: string;
}

export type SumJournal = Pick<Journal, 'acquirers' | 'openBatch' | 'batchPage' | 'settlingBatches'>;

/** What was taken and is in no settled batch: open batches, and closed ones that no host has settled. Rejects with JournalError. */
export async function unsettledSums(journal: SumJournal): Promise<UnsettledSum[]> {
  const totals: KindTotal[] = [];
  for (const id of await journal.acquirers()) {
    totals.push(...(await readBatch(journal, id, await journal.openBatch(id))).batch.kindTotals());
    for (const batch of await journal.settlingBatches(id)) totals.push(...batch.totals);
  }
  return [...Map.groupBy(totals, ({ currency }) => currency)].map(([currency, group]) => {
    const minor = group.reduce((sum, { kind, totalMinor }) => {
      return factsOf(kind).adds === 'refund' ? sum - BigInt(totalMinor) : sum + BigInt(totalMinor);
    }, 0n);
    return {
      currency,
      count: group.reduce((sum, { count }) => sum + count, 0),
      amount: majorText({ minor, currency }),
    };
  });
}
