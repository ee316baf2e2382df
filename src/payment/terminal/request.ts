import type { Amount } from '../../base/domain/amount.ts';
import type { AcquirerId, TerminalTransactionId, PosDetails } from '../../base/domain/identifiers.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';
import type { AnswerShape, ReceiptPrinting } from '../events/accepted.ts';
import type { PaymentTerms } from '../transaction/terminal-capabilities.ts';

export interface PaymentRequest
  extends Pick<PaymentTerms, 'preferredEntryMode' | 'preferredInstrument' | 'cashbackMinor' | 'askTip' | 'merchantId'>,
    PosDetails {
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request. */
  readonly digest: string;
  /**
   * Of a void without an amount, to which that of its original was added: its digest with another one. The original may
   * have changed since the void was sent first.
   */
  readonly digestWith?: (minor: bigint) => string;
  readonly type: TransactionType;
  /** The total, including the tip; without it if the customer is asked. */
  readonly amount: Amount;
  readonly tipMinor?: bigint;
  readonly shape: AnswerShape;
  readonly printedBy: ReceiptPrinting;
  readonly forcedAcquirer?: AcquirerId;
  readonly originalId?: TerminalTransactionId;
  readonly approvalCode?: string;
  /** Whether a partial approval is allowed. */
  readonly allowPartial?: true;
  /** The payment whose remaining amount this one pays. */
  readonly splitOf?: TerminalTransactionId;
  /** After this moment it begins nothing. Set for requests through the cloud. */
  readonly expiresAt?: Date;
  /** How long the customer may take to present; the configured time if absent. */
  readonly collectMs?: number;
}

export interface SettlementRequest {
  readonly posId: string;
  readonly messageId: string;
  readonly digest: string;
  /** All acquirers if absent. */
  readonly acquirerId?: AcquirerId;
  /** Only the acquirers of this merchant. */
  readonly merchantId?: string;
  /** Prints a report only if something was settled. */
  readonly quiet?: true;
  /** Leaves open batches alone, and repeats only settlements that were not answered. */
  readonly waitingOnly?: true;
  /** Settles only closed batches, and the open batch if its latest settlement has failed. */
  readonly failedOnly?: boolean;
}

/** The state and step of a running transaction, for example 'collecting', 'presentingCard'. */
export interface Running {
  readonly state: RunningState;
  readonly step?: string;
  /** The merchant that is paid; absent on a terminal without merchants. */
  readonly merchantId?: string;
}

export type RunningState = 'collecting' | 'authorizing' | 'settling';
