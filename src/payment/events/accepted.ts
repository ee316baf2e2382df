import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { TerminalTransactionId, PosDetails } from '../../base/domain/identifiers.ts';

/** How the answer is shaped: A = transactionResult (SPEC §2.3), B = transactionPrintData (SPEC §2.4). */
export type AnswerShape = 'A' | 'B';

/** Who prints the receipt. */
export type ReceiptPrinting = 'terminal' | 'pos';

/**
 * The request of the POS. Always the first event of a transaction, durable before anything of it is shown, reported or
 * sent.
 */
export interface Accepted extends PosDetails {
  readonly kind: 'accepted';
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request: distinguishes a repeat from another request under the same id. */
  readonly digest: string;
  /** VOID is already resolved to the void that fits. */
  readonly type: TransactionKind;
  /**
   * The total, minor units as decimal digits: JSON has no bigint. Where the customer is asked for a tip, the amount
   * without it: `tipChosen` adds to it.
   */
  readonly amountMinor: string;
  readonly currency: CurrencyCode;
  readonly shape: AnswerShape;
  readonly printedBy: ReceiptPrinting;
  /** The tip within the total, minor units as decimal digits. */
  readonly tipMinor?: string;
  /** The earlier transaction that this one refers to. */
  readonly originalId?: TerminalTransactionId;
  /** Offline sale: the approval code that the issuer gave by telephone. */
  readonly approvalCode?: string;
  /** EPS: the cash within the total, minor units as decimal digits. */
  readonly cashbackMinor?: string;
  /** The id of the merchant that is paid; for a void or refund, that of its original. Absent if none is configured. */
  readonly merchantId?: string;
  /** The payment whose remaining amount this one pays. */
  readonly splitOf?: TerminalTransactionId;
  /** Why its times may be wrong. */
  readonly clockDoubt?: ClockDoubt;
  /**
   * A transaction of the terminal's own, for an attempt of `originalId` that its host declined and approved afterwards.
   * It is reversed.
   */
  readonly isStray?: true;
}
