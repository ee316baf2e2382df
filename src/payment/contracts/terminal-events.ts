import type { PrinterFault } from '../../base/ports/receipt-printer.ts';
import type { ReceiptStatus } from '../../base/domain/receipt-status.ts';

/** A change of the terminal's state, for its watchers. No card data, no PIN digits. */
export interface TerminalEvent {
  readonly state: 'collecting' | 'authorizing' | 'approved' | 'declined' | 'error' | 'settling' | 'idle';
  /** Within collecting and authorizing: 'presentingCard', 'enteringPin'. */
  readonly step?: string;
  /** The hint for the customer, as the screen's code: 'removeCard'. */
  readonly hint?: string;
  /** The owner of the transaction. */
  readonly posId?: string;
  readonly messageId?: string;
  readonly terminalTransactionId?: string;
  /** The merchant that is paid. */
  readonly merchantId?: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
}

/** A receipt was printed, or can't be printed now. */
export interface ReceiptEvent {
  readonly posId: string;
  readonly messageId: string;
  readonly terminalTransactionId: string;
  readonly receiptStatus: Exclude<ReceiptStatus, 'NOT_PRINTED'>;
  /** Why it waits. */
  readonly receiptFault?: PrinterFault;
}

/** A payment by a shown code was found that arrived in addition to another one, or late; or it was returned. */
export interface ExtraPaymentEvent {
  /** The transaction for which the code was shown, and the POS that owns it. */
  readonly posId: string;
  readonly messageId: string;
  readonly terminalTransactionId: string;
  readonly extraPayment: {
    readonly paymentMethod: string;
    /** Major units. */
    readonly amount: number;
    readonly currency: string;
    readonly state: 'TO_BE_RETURNED' | 'BEING_RETURNED' | 'RETURNED';
    /** The terminal's own transaction for this payment. */
    readonly terminalTransactionId: string;
  };
}

/** Late evidence has left a matter to be settled with the customer; or the operator has settled it. */
export interface CustomerMatterEvent {
  /** The transaction that it is about, and the POS that owns it. */
  readonly posId: string;
  readonly messageId: string;
  readonly terminalTransactionId: string;
  readonly customerMatter: {
    readonly kind:
      | 'REFUND_OF_REVERSED'
      | 'COUNTED_LATE'
      | 'REVERSED_LATE'
      | 'REVERSED_AFTER_SETTLEMENT'
      | 'CASH_NOT_GIVEN';
    readonly transactionType: string;
    /** Empty if nothing was sent. */
    readonly paymentMethod: string;
    /** Major units. */
    readonly amount: number;
    readonly currency: string;
    readonly state: 'OPEN' | 'SETTLED';
    readonly terminalTransactionId: string;
  };
}

/** The watchers of the terminal. */
export interface TerminalEvents {
  /** Never throws, never waits. An unchanged event is not sent. */
  emit(event: Omit<TerminalEvent, 'at'>): void;
}
