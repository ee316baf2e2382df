import type { Amount } from '../../base/domain/amount.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { TransactionRecord } from './record.ts';

/** Cash that the operator took from the drawer: for a payment that its wallet can't refund, or as its late cash back. */
export interface CashReturn {
  /** The batch that was open then: the payment itself may belong to an earlier one. */
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  readonly amount: Amount;
}

/** Undefined if it was not given back in cash. */
export function cashReturnOf({ amount, intent, givenBackInCash }: TransactionRecord): CashReturn | undefined {
  if (!givenBackInCash || !intent) return undefined;
  const { acquirerId, batch } = givenBackInCash.drawer ?? { acquirerId: intent.acquirerId, batch: intent.trace.batch };
  const minor = BigInt(givenBackInCash.amountMinor ?? amount.minor);
  return { acquirerId, batch, amount: { ...amount, minor } };
}
