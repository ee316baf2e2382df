import type { Amount } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';

/**
 * A matter that late evidence leaves to be settled with the customer. refundOfReversed: a refund stands, and its host
 * has also reversed the refunded payment. countedLate: it counts, after it had ended without success. reversedLate: its
 * host has reversed it, after the bank had confirmed it. reversedAfterSettlement: the same, after a settled batch had
 * counted it. cashNotGiven: only the bank has confirmed it, so the cash back that its amount contains was not handed
 * out.
 */
export const matterKinds = [
  'refundOfReversed',
  'countedLate',
  'reversedLate',
  'reversedAfterSettlement',
  'cashNotGiven',
] as const;
export type MatterKind = (typeof matterKinds)[number];

/** The operator has settled it with the customer. `who`, `session`: as in the operator's audit. */
export interface SettledWithCustomer {
  readonly kind: 'settledWithCustomer';
  readonly matter: MatterKind;
  readonly who: 'OPERATOR';
  readonly session: string;
}

/** A matter to be settled with the customer, as it stands now. */
export interface CustomerMatter {
  /** The transaction that it is about: of refundOfReversed, the refund. */
  readonly id: TerminalTransactionId;
  readonly kind: MatterKind;
  readonly type: TransactionType;
  /** Empty if nothing was sent. */
  readonly scheme: string;
  readonly amount: Amount;
  /** settled: by the operator, with the customer. */
  readonly state: 'open' | 'settled';
}
