import type { Amount } from '../../base/domain/amount.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { TransactionRecord } from './record.ts';

/**
 * Cash that the operator took from the drawer: for a payment that its wallet can't refund, or as its late cash back.
 */
export interface CashReturn {
  /** The batch that was open then: the payment itself may belong to an earlier one. */
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  readonly amount: Amount;
}

/** Empty if nothing was given back in cash. */
export function cashReturnsOf({ amount, intent, cashReturns = [] }: TransactionRecord): readonly CashReturn[] {
  if (!intent) return [];
  return cashReturns.map(({ drawer, amountMinor }) => {
    const { acquirerId, batch } = drawer ?? { acquirerId: intent.acquirerId, batch: intent.trace.batch };
    return { acquirerId, batch, amount: { ...amount, minor: BigInt(amountMinor ?? amount.minor) } };
  });
}

/** The sum that was given back in cash, in minor units. */
export function sumCashReturns({ amount, cashReturns = [] }: TransactionRecord): bigint {
  return cashReturns.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor ?? amount.minor), 0n);
}

/** Whether an extra payment was given back: in cash, by refunds that were made later, or in parts by both. */
export function isReturned(record: TransactionRecord): boolean {
  return sumCashReturns(record) + (record.givenBackLater?.minor ?? 0n) >= record.amount.minor;
}
