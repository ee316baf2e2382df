import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { BatchDifference } from './discrepancy.ts';

/** A settlement as it was requested, with its results. */
export interface JournalledSettlement {
  readonly id: TerminalTransactionId;
  readonly posId: string;
  readonly messageId: string;
  readonly digest: string;
  /** The requested acquirer; all if absent. */
  readonly acquirerId?: AcquirerId;
  /** Only the acquirers of this merchant. */
  readonly merchantId?: string;
  readonly at: string;
  /** Absent while it runs, or if a restart interrupted it. */
  readonly results?: readonly SettledBatch[];
}

/** Count and total of one kind in one currency, the total in minor units as decimal digits. */
export interface KindTotal {
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly count: number;
  readonly totalMinor: string;
}

/** An advice that its host rejected. */
export interface RejectedAdvice {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly amountMinor: string;
  /** Field 39. */
  readonly responseCode: string;
  /** The host accepted it too late: its sale was settled without it. */
  readonly afterSettlement?: true;
}

export interface SettledBatch {
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  /** The merchant of the acquirer at that time; absent if there was none. */
  readonly merchantId?: string;
  readonly batch: number;
  readonly result: 'BALANCED' | 'UPLOADED' | 'FAILED';
  /** Why it failed, or another remark, in a sentence. */
  readonly reason?: string;
  readonly totals: readonly KindTotal[];
  /** All advices that the operator has not decided, from any batch. They are in no total. */
  readonly rejected?: readonly RejectedAdvice[];
  /** Transactions without a known outcome. They are in no total until it is known. */
  readonly unresolved?: readonly KindTotal[];
  /** Auths of this batch that were neither completed nor voided: the customers' money is held. */
  readonly openAuths?: readonly KindTotal[];
  /** Currencies in which the host's books differed, without an explanation here. */
  readonly differences?: readonly BatchDifference[];
  /** The batch was empty. */
  readonly empty?: true;
  /** FAILED: the host answered without accepting the batch. */
  readonly refused?: true;
  /** FAILED: the host accepts the question, but will never accept one of the uploaded transactions. */
  readonly rejectsOne?: true;
  /** Settled by the bank's answer to the operator by telephone. */
  readonly confirmed?: true;
}
