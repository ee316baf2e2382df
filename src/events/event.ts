import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered, Answered, CardCompleted, LateApproval, SetAside } from './answer.ts';
import type { Conclusion } from './conclusion.ts';
import type { Intent } from './intent.ts';

/** A wallet's order by the trace number that it is named by. */
export interface ClosedOrder {
  readonly acquirerId: AcquirerId;
  readonly stan: number;
}

/** One that may still turn out to be paid, and how often it was looked at. */
export interface KeptOrder extends ClosedOrder {
  readonly id: TerminalTransactionId;
  readonly looks: number;
}

/**
 * What the log of a transaction may contain. Events are only ever appended, and what they fold to is the transaction
 * (records/record.ts). Each is JSON: amounts are minor units as decimal digits, numbers that a host gave are its own digits.
 */
export type JournalEvent =
  | Accepted
  | Intent
  | Answered
  /** Its reversal waits for the host. `reason`: why, in a few words for the log. */
  | { readonly kind: 'reversalQueued'; readonly reason: string }
  /** The reversal is handed to the link, counted before it leaves: 1, 2, … */
  | { readonly kind: 'reversalSent'; readonly attempt: number }
  /** The host has taken it back, or has no record of it. */
  | { readonly kind: 'reversalAcknowledged'; readonly responseCode: string }
  /** The host answered a reversal or an advice, and did not take it. Written where the code is another than before. */
  | { readonly kind: 'hostRefused'; readonly responseCode: string }
  | SetAside
  | LateApproval
  /**
   * The host says that it has the number of this intent, which it may have from a journal that was lost: nothing is sent under it any
   * more, and the numbers that follow begin elsewhere.
   */
  | { readonly kind: 'numberTaken' }
  /**
   * The wallet's host says that this order is over. It may have been paid by then: it is looked at again. `isFinal`: what it was paid
   * can't be given back.
   */
  | ({ readonly kind: 'orderClosed'; readonly isFinal?: true } & ClosedOrder)
  /** It was looked at again, and is over still, or what it came to is another event. `isLast`: it is not looked at any more. */
  | ({ readonly kind: 'orderLookedAt'; readonly isLast?: true } & ClosedOrder)
  /** What the intent named came to nothing, and never will: another may follow. */
  | { readonly kind: 'withdrawn' }
  /** What was unknown is known, as the 'answered' and 'ended' before this say: nothing is to be reversed. */
  | { readonly kind: 'resolved' }
  | CardCompleted
  /** Approved here: its advice waits for the host. */
  | { readonly kind: 'adviceQueued' }
  /** The advice is handed to the link, counted before it leaves: 1, 2, … */
  | { readonly kind: 'adviceSent'; readonly attempt: number }
  | AdviceAnswered
  /** The transaction is over for the POS and the customer. A later one stands over an earlier one. */
  | ({ readonly kind: 'ended' } & Conclusion)
  /** Its receipt waits for the printer. */
  | { readonly kind: 'receiptQueued' }
  | { readonly kind: 'receiptPrinted' };

/** What stands where an event could not be read (format.ts). It is kept as it is: another version may read it. */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
  /** The rest of a sentence about its transaction, without a value of it. */
  readonly reason: string;
  readonly body: string;
}

export interface StoredEvent {
  /** ISO 8601, UTC, milliseconds: this machine's clock. The order of events is that of the log, not of these. */
  readonly at: string;
  readonly event: JournalEvent | UnreadableEvent;
}

/** One transaction as the journal has it. */
export interface JournalledTransaction {
  readonly id: TerminalTransactionId;
  readonly events: readonly StoredEvent[];
}
