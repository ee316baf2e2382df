// The type of a language's words: a word for each code of the terminal, and the same names as in English.
import type { Account } from '../../base/domain/account.ts';
import type { collectModes, walletSchemes } from '../../base/domain/payment-scheme.ts';
import type { ReaderPosition } from '../../base/domain/screen-style.ts';
import type { SettlementFault } from '../../base/domain/settlement-fault.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';
import type { MenuNotice } from '../../payment/contracts/operator-menu.ts';
import type { Scene, ScreenHint } from '../../payment/contracts/screen.ts';
import type { Happening, NextStep, ReportedMoney } from '../../payment/contracts/reported-outcome.ts';

type Texts<Code extends string> = Readonly<Record<Code, string>>;
type Mode = (typeof collectModes)[number];
/** A sale has no name beside the amount of a payment. */
type NamedType = Exclude<TransactionType, 'SALE'>;

/** The terminal's codes that the page must have words for. */
export interface CodeWords {
  readonly titles: Texts<Scene | 'offline'>;
  readonly hints: Texts<ScreenHint>;
  readonly readerAt: Texts<ReaderPosition>;
  readonly modes: Texts<Mode>;
  readonly wallets: Texts<(typeof walletSchemes)[number]>;
  readonly accounts: Texts<Account>;
  readonly notices: Texts<MenuNotice>;
  readonly [other: string]: unknown;
}
export interface OutcomeWords {
  readonly happened: Texts<Happening>;
  readonly money: Texts<ReportedMoney>;
  readonly next: Texts<NextStep>;
  readonly ways: Texts<Mode>;
}
export type SettlementFaultWords = Texts<SettlementFault>;
export type KindWords = Texts<NamedType>;

/** A text with the slots of a word: 'Batch {batch}' has the slot 'batch'. */
type Saying<Word> = Word extends `${string}{${infer Slot}}${infer Rest}`
  ? `${string}{${Slot}}${string}` & Saying<Rest>
  : string;

/** The same words in another language: none is missing, none is new, and each has the slots of the English one. */
export type Translated<English> = {
  readonly [Name in keyof English]: English[Name] extends string ? Saying<English[Name]> : Translated<English[Name]>;
};
