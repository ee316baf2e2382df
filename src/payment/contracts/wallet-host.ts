import type { Amount } from '../../base/domain/amount.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Limits } from '../../base/domain/capability.ts';
import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { LinkState } from './acquirer-host.ts';

/** The permanent identity of one order at the host. */
export interface WalletOrder {
  /** `out_trade_no`: at most 128 characters, unique per payment and refund. */
  readonly tradeNo: string;
  readonly amount: Amount;
  /** `txdtm`: when it was first sent. */
  readonly at: Date;
  /** The value of `hostTime` at that moment. */
  readonly hostAt?: string;
}

/** A code scanned from the customer's phone. It can be used once only, even if the payment fails. */
export interface ScannedOrder extends WalletOrder {
  readonly scheme: WalletScheme;
  readonly authCode: string;
}

/** A request for a code to show to the customer. */
export interface PresentedOrder extends WalletOrder {
  readonly scheme: WalletScheme;
}

export interface WalletRefundOrder extends WalletOrder {
  /** The host's number of the payment. */
  readonly originalNumber: string;
}

export interface WalletApproved {
  readonly kind: 'approved';
  /** The host's own number of the order: `syssn`. */
  readonly hostNumber: string;
  /** The wallet's own number, as the customer's phone shows it: `chnlsn`; empty if the host gave none. */
  readonly walletNumber: string;
  /** hhmmss and MMDD of the host. */
  readonly hostTime: string;
  readonly hostDate: string;
}

/**
 * waiting: the customer is asked on the phone, or the wallet is still processing; enquire. unknown: it may or may not
 * be paid; enquire before anything else. notSent: not one byte left this terminal.
 */
export type WalletOutcome =
  | WalletApproved
  | { readonly kind: 'waiting'; readonly responseCode: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly responseCode: string }
  | {
      readonly kind: 'unknown';
      readonly reason: 'no-answer' | 'link-closed' | 'garbled-answer' | 'interrupted' | 'unknown-at-host';
      /** The host's code, if it gave one. */
      readonly responseCode?: string;
    }
  | { readonly kind: 'notSent'; readonly reason: 'host-down' | 'unsendable' };

/** A code for the customer to scan, checked; or the outcome if there is none. */
export type WalletPresentation =
  | { readonly kind: 'code'; readonly payload: string }
  | Exclude<WalletOutcome, { readonly kind: 'approved' | 'waiting' }>;

/**
 * The host's state of an order. closed: closed or expired, it can't be paid any more. refunded: it was paid and fully
 * refunded. noSuchOrder: the host certainly has none: it was asked where it would show the order, and later than any
 * request of it can have been on its way or hidden. notFound: the host shows none, which proves nothing.
 */
export type WalletFinding =
  | WalletApproved
  | { readonly kind: 'waiting' }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly responseCode: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refunded'; readonly hostNumber?: string }
  | { readonly kind: 'noSuchOrder' }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unknown' };

/**
 * The answer to an attempt to end an order. closed: it can no longer be paid. noSuchOrder: the host has none, and no
 * request of it can be on its way. notOperational: the host has none, or none that can be ended. refused: the host did
 * not end it, and it may be paid. unanswered: no answer, or one that decides nothing. Its `request` has arrived if the
 * host has answered; without it, the request may still arrive. Only an enquiry shows the outcome.
 */
export type WalletClosing =
  | { readonly kind: 'closed' }
  | { readonly kind: 'noSuchOrder' | 'notOperational' | 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered'; readonly request?: 'arrived' | 'notSent' };

/**
 * A wallet's host. Faults of the network or the host are outcomes, not rejections. An order that can't be encoded
 * rejects with UnsendableOrder, before a byte is sent.
 */
export interface WalletHost {
  readonly id: AcquirerId;
  /** Merchant identifier at the host; empty if the key alone identifies the merchant. */
  readonly mid: string;
  /** Terminal identifier at the host: `udid`. */
  readonly tid: string;
  readonly link: LinkState;
  readonly limits: Limits;
  /** The host's own time now, as `YYYY-MM-DD hh:mm:ss`; absent until the host has sent it. */
  readonly hostTime?: string | undefined;
  /** Wallets whose codes can be scanned, and wallets whose code can be shown. */
  readonly scanned: readonly WalletScheme[];
  readonly presented: readonly WalletScheme[];
  pay(order: ScannedOrder): Promise<WalletOutcome>;
  present(order: PresentedOrder): Promise<WalletPresentation>;
  enquire(order: WalletOrder): Promise<WalletFinding>;
  /** Ends an unpaid order: by reversal, or by close for wallets without reversal. */
  close(order: WalletOrder & { readonly scheme: WalletScheme }): Promise<WalletClosing>;
  refund(order: WalletRefundOrder): Promise<WalletOutcome>;
  /** Voids a refund that the host has accepted, on the same day. */
  reverseRefund(order: WalletOrder): Promise<WalletClosing>;
  /** Closes connections; requests in flight end as 'unknown'. */
  stop(): Promise<void>;
}
