import type { PaymentScheme, WalletEntryMode, WalletScheme } from '../../base/domain/payment-scheme.ts';
import { having, instant, optional, text } from '../../base/domain/stored-shape.ts';
import type { IntentCommon, IntentForm } from '../../payment/events/payment-instrument.ts';

/** A sale, a refund, a void (a full refund) and the void of a refund. */
export type WalletOperation = 'sale' | 'refund' | 'void' | 'voidRefund';

export interface WalletIntent extends IntentCommon {
  readonly operation: WalletOperation;
  readonly wallet: { readonly scheme: WalletScheme; readonly entryMode: WalletEntryMode };
  /** This wallet can't refund: a payment is final, and an unknown one can only be resolved by enquiry. */
  readonly isFinal?: true;
  /** A refund or void: hosts end one only while it has not succeeded, so an unknown one can only be resolved by enquiry. */
  readonly isResolved?: true;
  /** The order number, if another transaction has assigned it. */
  readonly tradeNo?: string;
  /** When it was sent, ISO 8601: later requests must repeat it. */
  readonly sentAt: string;
  /** The host's own time then, if it was known: this machine's clock may be wrong. */
  readonly hostAt?: string;
  /** The order that it refers to, as the host knows it. */
  readonly original?: {
    readonly tradeNo: string;
    readonly hostNumber: string;
    readonly sentAt: string;
    /** Minor units as decimal digits. */
    readonly amountMinor: string;
  };
}

export const walletForm = {
  field: 'wallet',
  isWhole: having({
    wallet: having({ scheme: text, entryMode: text }),
    sentAt: instant,
    tradeNo: optional(text),
    original: optional(having({ tradeNo: text, hostNumber: text, sentAt: instant })),
  }),
  instrumentOf({ operation, isResolved, isFinal, wallet: { scheme, entryMode } }) {
    // A payment that can't be refunded, a refund or its void can only be resolved by enquiry.
    const isEnquired = operation === 'voidRefund' || isResolved === true || isFinal === true;
    const undo = isEnquired ? 'enquiry' : 'reversal';
    return { name: 'wallet', scheme, entryMode, maskedNumber: '', instrumentType: 'QR', undo };
  },
} as const satisfies IntentForm<WalletIntent>;

export const walletScreen = {
  scenes: ['scanCode', 'presentCode'],
  hints: ['notAWalletCode', 'codeComing', 'confirmOnPhone', 'closingCode'],
} as const;

export interface WalletView {
  /**
   * presentCode: wallets with a code to show, the wallet shown, and its code (absent until the host has given it).
   * Approved: `wallet` is the wallet that has paid.
   */
  readonly wallets?: readonly PaymentScheme[];
  readonly wallet?: PaymentScheme;
  readonly code?: string;
}

/** presentCode: another wallet is chosen. */
export interface WalletAction {
  readonly kind: 'wallet';
  readonly scheme: PaymentScheme;
}
