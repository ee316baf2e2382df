import type { Amount } from '../../domain/amount.ts';
import type { CollectMode } from '../../domain/entry-mode.ts';
import type { WalletScheme } from '../../domain/payment-scheme.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { ScreenHint } from '../../ports/screen.ts';
import type { CardCollected, Withdrawal } from './outcomes.ts';

export interface TransactionInput {
  readonly amount: Amount;
  readonly collectTimeoutMs: number;
  /** How long a customer may take to confirm on the phone. */
  readonly walletTimeoutMs: number;
  /** How this payment may be collected. None: it goes by an earlier transaction, and nobody presents anything. */
  readonly modes: readonly CollectMode[];
  /** Where the payment app starts; without one the merchant chooses, while the reader takes cards. */
  readonly start?: CollectMode;
  /** Wallets whose code can be shown, the preferred one first. */
  readonly wallets: readonly WalletScheme[];
}

export interface TransactionContext extends TransactionInput {
  readonly mode?: CollectMode;
  /** What is to be collected once the present device is disarmed. */
  readonly next?: CollectMode | undefined;
  /** The wallet whose code is on show, or is to be. */
  readonly wallet?: WalletScheme | undefined;
  readonly payload?: string | undefined;
  readonly hint?: ScreenHint | undefined;
  /** What the card still asks of its holder. */
  readonly asks?: Extract<CardCollected, { kind: 'card' }>['asks'];
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
  | { type: 'WALLET'; scheme: WalletScheme }
  /** The account is chosen, the cash is in the drawer: the terminal has kept which and how much. */
  | { type: 'ACCOUNT' }
  | { type: 'TENDERED' };
