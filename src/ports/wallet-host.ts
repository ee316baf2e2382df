import type { Amount } from '../domain/amount.ts';
import type { DeclineReason } from '../domain/decline-reason.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { Limits } from '../domain/limits.ts';
import type { WalletScheme } from '../domain/payment-scheme.ts';
import type { LinkState } from './acquirer-host.ts';

/** How this terminal names one order to the host, for ever. */
export interface WalletOrder {
  /** `out_trade_no`: at most 128 characters, unique per payment and refund. */
  readonly tradeNo: string;
  readonly amount: Amount;
  /** `txdtm`: when it was first sent. */
  readonly at: Date;
  /** What `hostTime` was then. */
  readonly hostAt?: string;
}

/** The customer's own code was scanned. It may be used once, even where that fails. */
export interface ScannedOrder extends WalletOrder {
  readonly scheme: WalletScheme;
  readonly authCode: string;
}

/** A code is to be shown for the customer to scan. */
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
  /** The wallet's number of the order, as the customer's phone shows it: `chnlsn`; empty where the host tells none. */
  readonly walletNumber: string;
  /** hhmmss and MMDD of the host. */
  readonly hostTime: string;
  readonly hostDate: string;
}

/**
 * waiting: the customer is asked on the phone, or the wallet is still at it: enquire. unknown: it may stand or not: enquire
 * before anything else. notSent: not one byte left this terminal.
 */
export type WalletOutcome =
  | WalletApproved
  | { readonly kind: 'waiting'; readonly responseCode: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly responseCode: string }
  | {
      readonly kind: 'unknown';
      readonly reason: 'no-answer' | 'link-closed' | 'garbled-answer' | 'interrupted' | 'unknown-at-host';
    }
  | { readonly kind: 'notSent'; readonly reason: 'host-down' | 'unsendable' };

/** A code for the customer to scan, checked, or why there is none. */
export type WalletPresentation =
  | { readonly kind: 'code'; readonly payload: string }
  | Exclude<WalletOutcome, { readonly kind: 'approved' | 'waiting' }>;

/**
 * What the host says of an order. closed: it was closed or expired and can't be paid any more. refunded: it was paid, and
 * given back whole. noSuchOrder: it has none, asked where it would show it, and later than anything of it can have been on
 * its way or hidden. notFound: it shows none, which proves nothing.
 */
export type WalletFinding =
  | WalletApproved
  | { readonly kind: 'waiting' }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly responseCode: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refunded' }
  | { readonly kind: 'noSuchOrder' }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unknown' };

/**
 * What an attempt to end an order was answered. closed: nobody can pay it any more. noSuchOrder: the host has none, and nothing of it
 * can be on its way. notOperational: it has none, or none that can be ended. refused: it would not; the order may be paid. Only
 * an enquiry tells what became of it.
 */
export type WalletClosing =
  | { readonly kind: 'closed' }
  | { readonly kind: 'noSuchOrder' | 'notOperational' | 'refused'; readonly responseCode: string }
  | { readonly kind: 'unanswered' };

/**
 * Nothing here ever rejects for anything that the network or the host can do: that is an outcome. What makes no request rejects with
 * UnsendableOrder, before a byte of it has left.
 */
export interface WalletHost {
  readonly id: AcquirerId;
  /** Merchant at the host; empty where the key alone names it. */
  readonly mid: string;
  /** This terminal at the host: `udid`. */
  readonly tid: string;
  readonly link: LinkState;
  readonly limits: Limits;
  /** The host's own time now, as `YYYY-MM-DD hh:mm:ss`; nothing where it has not told it yet. */
  readonly hostTime?: string | undefined;
  /** Wallets that can be scanned from a phone, and wallets whose code can be shown. */
  readonly scanned: readonly WalletScheme[];
  readonly presented: readonly WalletScheme[];
  pay(order: ScannedOrder): Promise<WalletOutcome>;
  present(order: PresentedOrder): Promise<WalletPresentation>;
  enquire(order: WalletOrder): Promise<WalletFinding>;
  /** Ends an order that is not paid: reversal, or close for the wallets that have no reversal. */
  close(order: WalletOrder & { readonly scheme: WalletScheme }): Promise<WalletClosing>;
  refund(order: WalletRefundOrder): Promise<WalletOutcome>;
  /** Takes back a refund that the host has accepted, on its own day. */
  reverseRefund(order: WalletOrder): Promise<WalletClosing>;
  /** Ends connections; what is under way comes to 'unknown'. */
  stop(): Promise<void>;
}
