import type { Amount } from '../../domain/amount.ts';
import type { CollectMode } from '../../domain/entry-mode.ts';
import type { PaymentScheme } from '../../domain/payment-scheme.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { ScreenHint } from '../../ports/screen.ts';
import type { Answered, Question, Withdrawal } from './outcomes.ts';

export interface TransactionInput {
  readonly amount: Amount;
  readonly collectTimeoutMs: number;
  /** How long a customer may take to confirm on the phone. */
  readonly walletTimeoutMs: number;
  /** How this payment may be collected. None: it goes by an earlier transaction, and nobody presents anything. */
  readonly modes: readonly CollectMode[];
  /** What is armed while the merchant chooses, where it is offered. */
  readonly defaultMode?: CollectMode | undefined;
  /** Where the payment app starts; without one the merchant chooses, while `defaultMode` is armed. */
  readonly start?: CollectMode;
  /** Those of them whose code the customer scans: whoever has seen it may pay, so it is left by withdrawing alone. */
  readonly codeModes: readonly CollectMode[];
  /** Wallets whose code can be shown, the preferred one first. */
  readonly wallets: readonly PaymentScheme[];
}

export interface TransactionContext extends TransactionInput {
  readonly mode?: CollectMode | undefined;
  /** What is to be collected once the present device is disarmed. */
  readonly next?: CollectMode | undefined;
  /** The wallet whose code is on show, or is to be. */
  readonly wallet?: PaymentScheme | undefined;
  readonly payload?: string | undefined;
  readonly hint?: ScreenHint | undefined;
  /** What is still asked of the customer. */
  readonly asks?: Question | undefined;
  readonly withdrawal?: Withdrawal;
  readonly conclusion?: Conclusion;
}

export type Canceller = 'pos' | 'merchant' | 'customer';

export type TransactionEvent =
  | { type: 'START' }
  | { type: 'CANCEL'; by: Canceller }
  /** The merchant chooses another way to pay, or the first one. */
  | { type: 'CHOOSE'; mode: CollectMode }
  /** Another wallet's code is to be shown. */
  | { type: 'WALLET'; scheme: PaymentScheme }
  /** What was collected, or asked, was given on the screen: the method's session has kept it. */
  | { type: 'GIVEN'; answer: Answered };
