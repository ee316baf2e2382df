import { majorText } from '../../base/domain/amount.ts';
import type { Journal } from '../contracts/journal.ts';
import type { BatchDifference, Discrepancy } from '../events/discrepancy.ts';
import type { SettlingTotal } from '../events/settling-batch.ts';

/** A sum in major units. */
interface Sum {
  readonly count: number;
  readonly amount: string;
}

/**
 * A difference from the books of the banks, as the operator needs it on the telephone. booksDiffer: `sales` and
 * `refunds` are this terminal's, the bank has the host's; `rejected`: the part that the host has not accepted.
 * journalRestored: payments between `since` and `at` are not in the journal.
 */
export type OpenDiscrepancy =
  | {
      readonly kind: 'booksDiffer';
      readonly number: number;
      readonly at: string;
      readonly acquirer: string;
      readonly batch: number;
      readonly currency: string;
      readonly sales: Sum;
      readonly refunds: Sum;
      readonly rejected?: { readonly sales: Sum; readonly refunds: Sum };
    }
  | { readonly kind: 'journalRestored'; readonly number: number; readonly at: string; readonly since: string };

/** The oldest first. Rejects with JournalError. */
export async function openDiscrepancies(journal: Pick<Journal, 'discrepancies'>): Promise<readonly OpenDiscrepancy[]> {
  return (await journal.discrepancies()).map(describe);
}

function describe(found: Discrepancy): OpenDiscrepancy {
  const { number, at } = found;
  if (found.kind === 'journalRestored') return { kind: found.kind, number, at, since: found.lastAt ?? '' };
  const { kind, acquirerId: acquirer, batch, currency, rejected } = found;
  const sums = sumsOf(found, currency);
  return {
    kind,
    number,
    at,
    acquirer,
    batch,
    currency,
    ...sums,
    ...(rejected ? { rejected: sumsOf(rejected, currency) } : {}),
  };
}

function sumsOf(
  { sales, refunds }: Pick<BatchDifference, 'sales' | 'refunds'>,
  currency: BatchDifference['currency'],
): { readonly sales: Sum; readonly refunds: Sum } {
  const sum = ({ count, totalMinor }: SettlingTotal['sales']) => {
    return { count, amount: majorText({ minor: BigInt(totalMinor), currency }) };
  };
  return { sales: sum(sales), refunds: sum(refunds) };
}
