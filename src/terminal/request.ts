import type { Amount } from '../domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { AnswerShape } from '../ports/journal.ts';

export interface PaymentRequest {
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request. */
  readonly digest: string;
  readonly type: TransactionType;
  /** The total, with the tip. */
  readonly amount: Amount;
  readonly tipMinor?: bigint;
  readonly shape: AnswerShape;
  readonly forcedAcquirer?: AcquirerId;
  readonly originalId?: TerminalTransactionId;
  readonly approvalCode?: string;
}

export interface SettlementRequest {
  readonly posId: string;
  readonly messageId: string;
  readonly digest: string;
  /** All when there is none. */
  readonly acquirerId?: AcquirerId;
}

export type RunningState = 'collecting' | 'authorizing' | 'settling';
