import type { DeclineReason } from '../domain/decline-reason.ts';

/** An approval of which nobody tells more: of cash, of a reader, of a host that has no number for it. */
export const bareApproval = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: '',
  rrn: '',
  hostTime: '',
  hostDate: '',
} as const;

/** What came of an intent at its host. `offline`: approved here, the host hears of it by advice. */
export type JournalledOutcome =
  | {
      readonly kind: 'approved';
      readonly responseCode: string;
      readonly approvalCode: string;
      /** The host's own number of it: field 37, a wallet host's order, a reader's receipt number. */
      readonly rrn: string;
      /** Fields 12 (hhmmss) and 13 (MMDD) of the host's answer; empty where it has none. */
      readonly hostTime: string;
      readonly hostDate: string;
      /** What the customer's phone calls it. */
      readonly walletNumber?: string;
      /** On the stored-value card afterwards, minor units as decimal digits; may be negative. */
      readonly balanceMinor?: string;
    }
  | { readonly kind: 'offline'; readonly approvalCode: string }
  | {
      readonly kind: 'declined';
      readonly reason: DeclineReason;
      readonly responseCode: string;
      readonly rrn: string;
      /** On the stored-value card that has too little, minor units as decimal digits. */
      readonly balanceMinor?: string;
    }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'notSent'; readonly reason: string };

/** The answer to the last intent. */
export interface Answered {
  readonly kind: 'answered';
  readonly outcome: JournalledOutcome;
}

/** The chip's word after the host's answer: `agreed` is its TC. */
export interface CardCompleted {
  readonly kind: 'cardCompleted';
  readonly agreed: boolean;
  /** The chip's last data objects, hex by tag. */
  readonly emv: Readonly<Record<string, string>>;
}

/** The host's last word on an advice. */
export interface AdviceAnswered {
  readonly kind: 'adviceAnswered';
  /** rejected: the host will not post it, someone has to look at it. */
  readonly answer: 'acknowledged' | 'rejected';
  /** Why it was rejected; of an acknowledgement only that it was a duplicate. */
  readonly reason?: DeclineReason;
  readonly responseCode: string;
  readonly rrn: string;
  /** hhmmss and MMDD, as the host tells them. */
  readonly hostTime: string;
  readonly hostDate: string;
  /**
   * A tip that its host took when its sale had been settled without it: kept as rejected, because it is in no total and only the bank knows
   * whether it is charged.
   */
  readonly afterSettlement?: true;
}

/** The host's approval came when nobody waited for it any more, and what it approves had been called undone. */
export interface LateApproval {
  readonly kind: 'approvedLate';
  readonly responseCode: string;
  readonly rrn: string;
}

/**
 * What the bank said by telephone of something that can't be brought to it: it has the transaction in its books, or not. Nothing more
 * is sent for it.
 */
export interface SetAside {
  readonly kind: 'setAside';
  readonly outcome: 'POSTED' | 'NOT_POSTED';
}
