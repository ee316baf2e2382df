import type { ContradictedAmount, GivenAmount } from '../../base/domain/contradicted-amount.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';

/** An approval without host data: of cash, of a reader, of a host that has no number for it. */
export const bareApproval = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: '',
  rrn: '',
  hostTime: '',
  hostDate: '',
} as const;

/** The outcome of an intent at its host. `offline`: approved here, and reported to the host by advice. */
export type JournalledOutcome =
  | {
      readonly kind: 'approved';
      readonly responseCode: string;
      readonly approvalCode: string;
      /** The host's own number: field 37, a wallet host's order number, or a reader's receipt number. */
      readonly rrn: string;
      /** Fields 12 (hhmmss) and 13 (MMDD) of the host's answer; empty where it has none. */
      readonly hostTime: string;
      readonly hostDate: string;
      /** The wallet's own number, as the customer's phone shows it. */
      readonly walletNumber?: string;
      /** Balance of the stored-value card afterwards, minor units as decimal digits; may be negative. */
      readonly balanceMinor?: string;
    }
  | { readonly kind: 'offline'; readonly approvalCode: string }
  | {
      readonly kind: 'declined';
      readonly reason: DeclineReason;
      readonly responseCode: string;
      readonly rrn: string;
      /** Balance of the stored-value card that was insufficient, minor units as decimal digits. */
      readonly balanceMinor?: string;
    }
  /** `responseCode`: the host's code, if it gave one that decides nothing. Events of earlier versions have none. */
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      readonly responseCode?: string;
      /** The host has approved only this part, which the request does not allow. */
      readonly covered?: GivenAmount;
    }
  | { readonly kind: 'notSent'; readonly reason: string };

/** The answer to the last intent. */
export interface Answered {
  readonly kind: 'answered';
  readonly outcome: JournalledOutcome;
}

/** The chip's answer to the second GENERATE AC. `agreed`: it gave its certificate (TC). */
export interface CardCompleted {
  readonly kind: 'cardCompleted';
  readonly agreed: boolean;
  /** The chip's last data objects, hex by tag. */
  readonly emv: Readonly<Record<string, string>>;
}

/** The host's final answer to an advice. */
export interface AdviceAnswered {
  readonly kind: 'adviceAnswered';
  /** rejected: the host will not post it, and the operator must decide. */
  readonly answer: 'acknowledged' | 'rejected';
  /** Why it was rejected. For an acknowledgement only 'duplicate'. */
  readonly reason?: DeclineReason;
  readonly responseCode: string;
  readonly rrn: string;
  /** hhmmss and MMDD of the host. */
  readonly hostTime: string;
  readonly hostDate: string;
  /**
   * The host accepted a tip after its sale had been settled without it. The tip is kept as rejected, because it is in
   * no total and only the bank knows whether it is charged.
   */
  readonly afterSettlement?: true;
  /**
   * A settled batch had counted it by the bank's answer when its host rejected it, and still counts it. The journal
   * adds this in the commit.
   */
  readonly wasCounted?: true;
  /** It was rejected at a repeat: whether an earlier attempt was posted, only the bank knows. */
  readonly ofRepeat?: true;
  /**
   * The host answered with another amount. The advice is recorded as rejected, because only the bank knows what is
   * posted.
   */
  readonly otherAmount?: ContradictedAmount;
}

/** The host approved a transaction, in a late answer, that had been called undone. */
export interface LateApproval {
  readonly kind: 'approvedLate';
  readonly responseCode: string;
  readonly rrn: string;
}

/**
 * The bank's answer by telephone about a transaction that can't be sent to it: posted or not. Nothing more is sent for
 * it.
 */
export interface SetAside {
  readonly kind: 'setAside';
  readonly outcome: 'POSTED' | 'NOT_POSTED';
  /**
   * The record of the acquirer itself could not be read at that moment. It is read later, and outranks this decision.
   */
  readonly unverified?: true;
}

/**
 * The host has approved a part of the amount, and the request allows that: from this event on, the amount is that part.
 * It is written in the commit of the answer. It is a kind of its own, because a version that does not know it must not
 * read the whole amount.
 */
export interface PartlyApproved {
  readonly kind: 'partlyApproved';
  /** Minor units as decimal digits. */
  readonly amountMinor: string;
}
