import type { Account } from '../../base/domain/account.ts';
import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { CardInterface } from '../../base/ports/card-reader.ts';
import { type MethodAction, type MethodView, methodHints, methodScenes } from '../../methods/contracts.ts';
import { type OptionAction, type OptionView, optionHints, optionScenes } from '../../options/contracts.ts';
import type { ReportedOutcome } from './reported-outcome.ts';

export const scenes = [
  'idle',
  ...optionScenes,
  'chooseOption',
  'chooseMethod',
  'presentCard',
  'chooseAccount',
  'enterPin',
  ...methodScenes,
  'processing',
  'approved',
  'declined',
  'error',
  'cancelled',
] as const;
export type Scene = (typeof scenes)[number];

/** Hints for the customer besides the scene, as codes. The page has the words in its languages. */
export const screenHints = [
  // while a question of a sale is answered
  ...optionHints,
  'optionNotPossible',
  // while a card, a code or a PIN is collected
  'oneCardOnly',
  'holdCard',
  'presentAgain',
  'sameCard',
  'insertCard',
  'swipeCard',
  'leaveCardIn',
  'removeCard',
  'wrongPin',
  'readerLost',
  // of a method
  ...methodHints,
  // while a host is asked
  'reversing',
  // of an outcome, with removeCard
  'takeCash',
] as const;
export type ScreenHint = (typeof screenHints)[number];

/** A question with a few answers, in words by language. Amounts are major units as text. */
export interface ShownQuestion {
  readonly title: Readonly<Record<ReceiptLanguage, string>>;
  readonly choices: readonly {
    /** By which an action names it. */
    readonly id: string;
    readonly label: Readonly<Record<ReceiptLanguage, string>>;
    /** The amount that it adds, and the total with it; absent if it adds nothing. */
    readonly added?: string;
    readonly total?: string;
  }[];
}

/** The items sold so far: amounts as text in major units, '-1.50' for a discount. */
export interface TillCart {
  readonly currency: string;
  readonly lines: readonly { readonly name: string; readonly quantity?: string; readonly amount: string }[];
  readonly total: string;
}

/** A till's content for the idle screen: text or a cart. */
export interface TillView {
  readonly posId: string;
  readonly text?: readonly string[];
  readonly cart?: TillCart;
}

/**
 * The content of the screen. No card data, no PIN digits. Amounts are in major units as text, '30.00', in `currency`.
 */
export interface ScreenView extends MethodView, OptionView {
  readonly scene: Scene;
  /** Only when idle: a till's content. */
  readonly till?: TillView;
  /**
   * The running transaction, or the one that an option asks about, which an action must name. Absent when idle and
   * after the end.
   */
  readonly transaction?: TerminalTransactionId;
  readonly amount?: string;
  readonly currency?: string;
  readonly hint?: ScreenHint;
  /** The requesting till, in plain letters; present if tills may be in the cloud. `cloud`: it is there. */
  readonly asker?: { readonly posId: string; readonly cloud?: true };
  /** The name of the merchant that is paid, if this terminal has several. */
  readonly merchant?: string;
  /** REFUND, AUTH, …: the page shows it unless it is a sale. */
  readonly kind?: string;
  /** Modes that the merchant may change to; the page offers them besides the current one. */
  readonly modes?: readonly CollectMode[];
  /** The mode that is being collected. */
  readonly mode?: CollectMode;
  /** presentCard, chooseMethod: the interfaces that are armed. */
  readonly interfaces?: readonly CardInterface[];
  /** chooseAccount. */
  readonly accounts?: readonly Account[];
  /** EPS: cash for the customer, part of the amount. */
  readonly cashback?: string;
  /** chooseOption: the question. */
  readonly question?: ShownQuestion;
  /** An outcome, in three lines. */
  readonly reported?: ReportedOutcome;
  /** For an outcome after which only some payment methods work: those methods. */
  readonly ways?: readonly CollectMode[];
  /** Octopus: the balance after approval, or after a decline for insufficient value. */
  readonly balance?: string;
  /** Declined or error: the card is still in its slot. */
  readonly cardInside?: true;
  /** Labels for modes and schemes in this view that the page has no words for. */
  readonly labels?: Readonly<Record<string, Readonly<Record<ReceiptLanguage, string>>>>;
  /** CANCEL is possible now. */
  readonly cancellable?: boolean;
}

/** An action on the page. It is ignored if it names another transaction than the one shown. */
export type ScreenAction = { readonly transaction: string } & (
  | { readonly kind: 'cancel' }
  | { readonly kind: 'choose'; readonly mode: CollectMode }
  | { readonly kind: 'account'; readonly account: Account }
  /** chooseOption: this answer is chosen, as the view names it: one that it does not offer is ignored. */
  | { readonly kind: 'option'; readonly choice: string }
  | MethodAction
  | OptionAction
);

export interface Screen {
  /** Whether a page shows it now. */
  readonly isWatched: boolean;
  show(view: ScreenView): void;
  /** Calls the listener for every action of the page, whatever it names. Returns a function that stops it. */
  onAction(listener: (action: ScreenAction) => void): () => void;
}
