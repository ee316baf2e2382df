import type { Account } from '../domain/account.ts';
import type { CollectMode } from '../domain/entry-mode.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { ReceiptLanguage } from '../receipt/document.ts';
import type { CardInterface } from './card-reader.ts';

export const scenes = [
  'idle',
  'chooseMethod',
  'presentCard',
  'chooseAccount',
  'enterPin',
  'scanCode',
  'presentCode',
  'tapOctopus',
  'tenderCash',
  'processing',
  'approved',
  'declined',
  'error',
] as const;
export type Scene = (typeof scenes)[number];

/** What the page tells the customer beside the scene, as a code: the page has the words, in its languages. */
export const screenHints = [
  // while a card, a code or a PIN is collected
  'oneCardOnly',
  'holdCard',
  'presentAgain',
  'insertCard',
  'swipeCard',
  'leaveCardIn',
  'removeCard',
  'wrongPin',
  'notAWalletCode',
  'sameOctopusCard',
  'codeComing',
  // while a host is asked
  'confirmOnPhone',
  'closingCode',
  'reversing',
  // of an outcome
  'useAnotherMethod',
  'insufficientFunds',
  'insufficientValue',
  'cancelled',
  'timedOut',
  'notCharged',
  'willBeReversed',
  'askStaff',
  'takeCash',
] as const;
export type ScreenHint = (typeof screenHints)[number];

/**
 * What the payment app shows. No card data, no digits of a PIN. Amounts are in major units as text, '30.00', in `currency`.
 */
export interface ScreenView {
  readonly scene: Scene;
  /** What runs, and what an action must name. None when idle and when it is over. */
  readonly transaction?: TerminalTransactionId;
  readonly amount?: string;
  readonly currency?: string;
  readonly hint?: ScreenHint;
  /** REFUND, AUTH, …: the page says so where it is no sale. */
  readonly kind?: string;
  /** What the merchant may change to; the page offers these beside what runs. */
  readonly modes?: readonly CollectMode[];
  /** What is being collected. */
  readonly mode?: CollectMode;
  /** presentCard, chooseMethod: what a card may be held to. */
  readonly interfaces?: readonly CardInterface[];
  /** presentCode: wallets whose code can be shown, the one on show, and its text (none until the host has given it). */
  readonly wallets?: readonly PaymentScheme[];
  readonly wallet?: PaymentScheme;
  readonly code?: string;
  /** chooseAccount. */
  readonly accounts?: readonly Account[];
  /** EPS: cash that the customer gets, part of the amount. */
  readonly cashback?: string;
  /** Approved in cash. */
  readonly tendered?: string;
  readonly change?: string;
  /** Approved by Octopus; declined for want of it. */
  readonly balance?: string;
  /** Approved: the wallet that has paid is in `wallet`. Declined or error: a chip is still in its slot. */
  readonly cardInside?: true;
  /** Names of modes and schemes in this view that the page has no words for, in its languages. */
  readonly labels?: Readonly<Record<string, Readonly<Record<ReceiptLanguage, string>>>>;
  /** CANCEL is possible now. */
  readonly cancellable?: boolean;
}

/** What the merchant or the customer does on the page. One that names another transaction than the one that runs does nothing. */
export type ScreenAction = { readonly transaction: string } & (
  | { readonly kind: 'cancel' }
  | { readonly kind: 'choose'; readonly mode: CollectMode }
  /** presentCode: another wallet's code. */
  | { readonly kind: 'wallet'; readonly scheme: PaymentScheme }
  | { readonly kind: 'account'; readonly account: Account }
  /** Cash received, major units as text: '50' or '50.00'. */
  | { readonly kind: 'tender'; readonly amount: string }
);

export interface Screen {
  show(view: ScreenView): void;
  /** Called for every action of the page, whatever it names. Returns the way to stop listening. */
  onAction(listener: (action: ScreenAction) => void): () => void;
}
