import type { ContradictedAmount } from '../../base/domain/contradicted-amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { OptionEvent } from '../../options/contracts.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered, Answered, CardCompleted, LateApproval, PartlyApproved, SetAside } from './answer.ts';
import type { Conclusion } from './conclusion.ts';
import type { SettledWithCustomer } from './customer-matter.ts';
import type { Intent } from './intent.ts';
import type { OptionAnswered } from './option-answered.ts';

/** A wallet order, named by its trace number. */
export interface ClosedOrder {
  readonly acquirerId: AcquirerId;
  readonly stan: number;
}

/** A closed order that may still turn out to be paid, and how often it was enquired again. */
export interface KeptOrder extends ClosedOrder {
  readonly id: TerminalTransactionId;
  readonly looks: number;
}

/**
 * An attempt to send a queued message. `attempt`: 1, 2, …, at most 100. `isExtra`: the attempt was made for a payment
 * or a settlement that needs the queue empty, not by the queue's own timer. It does not count towards the number of
 * attempts that the operator's decision needs. Events of earlier versions never have it.
 */
interface Attempt {
  readonly attempt: number;
  readonly isExtra?: true;
}

/**
 * An attempt to send the reversal, or to resolve an unknown outcome, written before it is sent: 1, 2, …
 * `isEnquiry`: nothing is sent that could change anything at the host. If the attempt asks the host to end the
 * transaction, another event without this field is written first, with the same number. `isAnswered`: written after
 * such a request, which was answered or did not leave this terminal, so it can't arrive any more. Events of earlier
 * versions have neither: each may have asked the host for anything.
 */
export interface ReversalSent extends Attempt {
  readonly kind: 'reversalSent';
  readonly isEnquiry?: true;
  readonly isAnswered?: true;
}

/** The host's numbers of a payment whose outcome was unknown, and of the refund that returned it; empty if unknown. */
export interface GivenBack {
  readonly rrn: string;
  readonly refundRrn: string;
}

/**
 * The operator has returned in cash a payment that its wallet can't refund, or has handed out the cash back of a
 * payment that only the bank has confirmed. `who`, `session`: as in the operator's audit. The host's books still have
 * the payment.
 */
export interface GivenBackInCash {
  readonly kind: 'givenBackInCash';
  readonly who: 'OPERATOR';
  readonly session: string;
  /** The returned amount, if it was a part: the rest after refunds, or the cash back. Minor units as decimal digits. */
  readonly amountMinor?: string;
  /** The open batch from whose cash it was taken. Absent: that of the payment itself. */
  readonly drawer?: { readonly acquirerId: AcquirerId; readonly batch: number };
}

/**
 * The events of a transaction's log. They are only appended, and fold into a record (records/record.ts). Each is JSON:
 * amounts are minor units as decimal digits, and numbers from a host keep its own digits.
 */
export type JournalEvent =
  | Accepted
  | OptionEvent
  | OptionAnswered
  | Intent
  | Answered
  /**
   * A reversal is queued. `reason`: a few words for the log. `afterSettlement`: a settled batch had counted it by the
   * bank's answer, and still counts it. The journal adds this in the commit.
   */
  | { readonly kind: 'reversalQueued'; readonly reason: string; readonly afterSettlement?: true }
  | ReversalSent
  /**
   * The host has reversed it, or has no record of it. `givenBack`: it was paid at the host of a wallet, and refunded.
   * `afterSettlement`: a settled batch had counted it by the bank's answer. The journal adds this in the commit.
   */
  | {
      readonly kind: 'reversalAcknowledged';
      readonly responseCode: string;
      readonly givenBack?: GivenBack;
      readonly afterSettlement?: true;
    }
  /**
   * The host answered a reversal or an advice without accepting it. Written only if the answer has changed.
   * `otherAmount`: it answered a reversal with another amount, so only the bank knows what is reversed.
   */
  | { readonly kind: 'hostRefused'; readonly responseCode: string; readonly otherAmount?: ContradictedAmount }
  | SetAside
  | PartlyApproved
  | LateApproval
  /**
   * The host calls the intent's number a duplicate, perhaps from a journal that was lost. Nothing more is sent under
   * it, and the next numbers begin elsewhere.
   */
  | { readonly kind: 'numberTaken' }
  /**
   * The wallet's host has reported that this order is closed. It may have been paid at that moment, so it is enquired
   * again. `isFinal`: a payment of it can't be refunded. `isOpen`: the order may still be payable, because only the
   * bank has stated by telephone that it is not paid, and its host has not confirmed that it is closed. `isDeclined`:
   * its host has declined the payment by a scanned code. The decline is what is reported, but a host may post the
   * payment late. `hostAt`: the host's own time, if the order was sent shortly before.
   */
  | ({
      readonly kind: 'orderClosed';
      readonly isFinal?: true;
      readonly isOpen?: true;
      readonly isDeclined?: true;
      readonly hostAt?: string;
    } & ClosedOrder)
  /**
   * A closed order was enquired again, and is still closed; other events record a payment of it. `isLast`: it is not
   * enquired any more.
   */
  | ({ readonly kind: 'orderLookedAt'; readonly isLast?: true } & ClosedOrder)
  /** The intent has no effect, now or later: another may follow. */
  | { readonly kind: 'withdrawn' }
  /**
   * The unknown outcome has become known, by the 'answered' and 'ended' events before: nothing needs to be reversed.
   */
  | { readonly kind: 'resolved' }
  | SettledWithCustomer
  | GivenBackInCash
  | CardCompleted
  /** Approved offline: its advice is queued. */
  | { readonly kind: 'adviceQueued' }
  /** An attempt to send the advice, written before it is sent: 1, 2, … */
  | ({ readonly kind: 'adviceSent' } & Attempt)
  | AdviceAnswered
  /** The transaction has ended for the POS and the customer. The last such event counts. */
  | ({ readonly kind: 'ended' } & Conclusion)
  /** The receipt is queued for the printer. */
  | { readonly kind: 'receiptQueued' }
  /** The printer began the receipt and did not finish it: some of it may be on paper. */
  | { readonly kind: 'receiptCutOff' }
  | { readonly kind: 'receiptPrinted' };

/**
 * Takes the place of an event that could not be read (format.ts). The body is kept, because another version may be able
 * to read it.
 */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
  /** Why it can't be read, to be used after "transaction … can't be read: ". Contains no value. */
  readonly reason: string;
  readonly body: string;
}

export interface StoredEvent {
  /** ISO 8601, UTC, milliseconds, by this machine's clock. Events are ordered by the log, not by this. */
  readonly at: string;
  readonly event: JournalEvent | UnreadableEvent;
}

/** One transaction with its events. */
export interface JournalledTransaction {
  readonly id: TerminalTransactionId;
  readonly events: readonly StoredEvent[];
}
