import type { TransactionKind } from '../domain/capability.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';

/** A settlement as the POS asked for it, and how it ended. */
export interface JournalledSettlement {
  readonly id: TerminalTransactionId;
  readonly posId: string;
  readonly messageId: string;
  readonly digest: string;
  /** The one that was asked for; all when there is none. */
  readonly acquirerId?: AcquirerId;
  readonly at: string;
  /** Nothing while it runs, or when a restart cut it off. */
  readonly results?: readonly SettledBatch[];
}

/** Count and total of one kind in one currency, the total in minor units as decimal digits. */
export interface KindTotal {
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly count: number;
  readonly totalMinor: string;
}

/** What was approved here, and its host will not post. */
export interface RejectedAdvice {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly amountMinor: string;
  /** Field 39. */
  readonly responseCode: string;
  /** The host took it too late: after its sale was settled without it. */
  readonly afterSettlement?: true;
}

export interface SettledBatch {
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly batch: number;
  readonly result: 'BALANCED' | 'UPLOADED' | 'FAILED';
  /** Why it failed, in a sentence; or what else is to be said of it. */
  readonly reason?: string;
  readonly totals: readonly KindTotal[];
  /** All that the operator has not decided on, of whatever batch: they are in no total. */
  readonly rejected?: readonly RejectedAdvice[];
  /** Of what was sent it is not known whether it was paid: in no total, until it is. */
  readonly unresolved?: readonly KindTotal[];
  /** Auths of this batch that were neither completed nor voided: the customers' money is held. */
  readonly openAuths?: readonly KindTotal[];
  /** There was nothing in it. */
  readonly empty?: true;
  /** FAILED: the host answered, and did not take it. */
  readonly refused?: true;
  /** FAILED: the host took the question, and will never take a transaction of its upload. */
  readonly rejectsOne?: true;
  /** It is settled by the bank's word, which the operator has by telephone. */
  readonly confirmed?: true;
}
