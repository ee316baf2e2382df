import type { Amount } from '../../../base/domain/amount.ts';
import type { CollectMode, PaymentScheme } from '../../../base/domain/payment-scheme.ts';
import type { OptionAnswer } from '../../options/option-question.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { StoredEvent } from '../../events/event.ts';
import type { ScreenHint } from '../../contracts/screen.ts';
import type { TransactionActors } from './actors.ts';
import type { Answered, Question, Withdrawal } from './outcomes.ts';

export interface TransactionInput {
  readonly actors: TransactionActors;
  readonly amount: Amount;
  readonly collectTimeoutMs: number;
  /** How long a customer may take to confirm on the phone. */
  readonly walletTimeoutMs: number;
  /** How long the question of a sale option may take that is asked now; absent if none is. */
  readonly questionMs?: number | undefined;
  /** How this payment may be collected. Empty if it goes by an earlier transaction, and nothing is presented. */
  readonly modes: readonly CollectMode[];
  /** The mode that is armed while the merchant chooses, if it is offered. */
  readonly defaultMode?: CollectMode | undefined;
  /** The first mode; without one the merchant chooses while `defaultMode` is armed. */
  readonly start?: CollectMode | undefined;
  /** Modes that show a code: anyone who has seen it may pay, so they are left only by withdrawing. */
  readonly codeModes: readonly CollectMode[];
  /** Wallets whose code can be shown, the preferred one first. */
  readonly wallets: readonly PaymentScheme[];
}

export interface TransactionContext extends TransactionInput {
  readonly mode?: CollectMode | undefined;
  /** The answer that is being written; undefined if none came in time. */
  readonly answer?: OptionAnswer | undefined;
  /** A card was presented before the question. */
  readonly isCardKnown?: true;
  /** The mode to enter once the present device is disarmed. */
  readonly next?: CollectMode | undefined;
  /** The wallet whose code is shown, or will be. */
  readonly wallet?: PaymentScheme | undefined;
  readonly payload?: string | undefined;
  readonly hint?: ScreenHint | undefined;
  /** The question that the customer still has to answer. */
  readonly asks?: Question | undefined;
  readonly withdrawal?: Withdrawal;
  readonly conclusion?: Conclusion;
  /** The transaction on disk, if the commit of the answer has ended it. */
  readonly stored?: readonly StoredEvent[];
}

/** restart: the terminal is stopped; no person cancelled. */
export type Canceller = 'pos' | 'merchant' | 'customer' | 'restart';

export type TransactionEvent =
  | { type: 'START' }
  | { type: 'CANCEL'; by: Canceller }
  /** The merchant chooses a method, or another one. */
  | { type: 'CHOOSE'; mode: CollectMode }
  /** The merchant chooses another wallet's code. */
  | { type: 'WALLET'; scheme: PaymentScheme }
  /** The question of a sale option is answered. */
  | { type: 'ANSWER'; answer: OptionAnswer }
  /** An input must still be confirmed: the time to answer begins again. */
  | { type: 'ENTERED' }
  /** The device collects again by itself; the reason is shown to the customer. */
  | { type: 'HINT'; hint: ScreenHint }
  /** A screen action completed the present step. The method's session holds the data. */
  | { type: 'GIVEN'; answer: Answered };
