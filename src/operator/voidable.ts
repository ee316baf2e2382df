import { majorText } from '../domain/amount.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { BatchItem } from '../records/batch.ts';
import { type OpenBatches, readOpenBatch } from '../records/batch-reader.ts';
import { hasSucceeded } from '../records/standing.ts';
import { descriptionOf } from '../method/descriptions.ts';
import { type Listed, listedMeans } from './listed.ts';

const most = 12;

/** Transactions of the open batches that may be voided, the latest first. */
export async function voidables(journal: OpenBatches, acquirers: readonly AcquirerId[]): Promise<Listed[]> {
  const batches = await Promise.all(acquirers.map((id) => readOpenBatch(journal, id)));
  return batches
    .flatMap(({ batch }) => batch.items)
    .flatMap(voidable)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, most);
}

function voidable({ record, kind, minor }: BatchItem): Listed[] {
  const { id, intent, amount, createdAt } = record;
  // A transaction that is in the batch only by the bank's word can't be named by a void.
  if (!intent || !hasSucceeded(record) || !descriptionOf(intent).isVoidable) return [];
  const told = {
    id,
    kind,
    amount: majorText({ ...amount, minor }),
    currency: amount.currency,
    at: createdAt.toISOString(),
  };
  return [{ ...told, ...listedMeans(intent) }];
}
