import type { Amount } from '../../../base/domain/amount.ts';
import type { CollectMode, PaymentScheme } from '../../../base/domain/payment-scheme.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { StoredEvent } from '../../events/event.ts';
import type { ScreenHint } from '../../contracts/screen.ts';

/** A further question to the customer, after the means of payment was presented. Only its method can ask it. */
export type Question = string;

/**
 * The result of collecting. `again`: nothing usable was presented, and the customer may try again. `lost`: the device
 * that was armed while the merchant chooses has failed, and these modes are left. No result contains collected data:
 * the method's session holds it. `questionMs`: a sale option has a question now, which may take this long.
 */
export type Collecting =
  | { readonly kind: 'collected'; readonly asks?: Question; readonly questionMs?: number }
  | { readonly kind: 'again'; readonly hint: ScreenHint }
  | { readonly kind: 'lost'; readonly modes: readonly CollectMode[] }
  | { readonly kind: 'ended'; readonly conclusion: Conclusion };

/**
 * The answer to the question of a sale option. kept: it is on disk, and the payment has this amount and is collected
 * with this plan. `questionMs`: another question follows. `presentAgain`: the data that was read covers another amount.
 * again: the answer is not possible now, and nothing is written. ended: nothing can be collected any more.
 */
export type Kept =
  | ({ readonly kind: 'kept'; readonly questionMs?: number; readonly presentAgain?: true } & Replanned)
  | { readonly kind: 'again' }
  | { readonly kind: 'ended'; readonly conclusion: Conclusion };

/** The part of a payment that depends on its amount. */
export interface Replanned {
  readonly amount: Amount;
  readonly modes: readonly CollectMode[];
  readonly defaultMode: CollectMode | undefined;
  readonly start: CollectMode | undefined;
  readonly codeModes: readonly CollectMode[];
  readonly wallets: readonly PaymentScheme[];
}

/** A question to ask. `again`: the previous answer was wrong. */
export interface Asking {
  readonly mode: CollectMode;
  readonly asks: Question;
  readonly again: boolean;
}

/** A request for a code to show. `scheme` is undefined if the method has none with a code. */
export interface CodeRequest {
  readonly mode: CollectMode;
  readonly scheme: PaymentScheme | undefined;
}

/** The answer to a question. It may lead to another question. */
export type Answered = Exclude<Collecting, { readonly kind: 'again' | 'lost' }>;

/**
 * The result of authorizing, already durable. `stored`: the transaction as the commit of its answer has left it on
 * disk. `unknown`: its reversal is queued, its conclusion is not written yet. `waiting`: the customer is asked on the
 * phone. `card`: the host has answered, and the contact chip decides last. `ask`, `again`: nothing was charged, and the
 * customer may answer or present again.
 */
export type Authorization =
  | { readonly kind: 'concluded'; readonly conclusion: Conclusion; readonly stored?: readonly StoredEvent[] }
  | { readonly kind: 'unknown'; readonly conclusion: Conclusion }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'card' }
  | { readonly kind: 'ask'; readonly asks: Question; readonly hint: ScreenHint }
  | { readonly kind: 'again'; readonly hint: ScreenHint };

/** closed: the order can no longer be paid, and the journal has recorded it. */
export type Withdrawal = { readonly kind: 'closed' } | Extract<Authorization, { kind: 'concluded' | 'unknown' }>;

/** The code to show, or how the transaction ended without one. */
export type Presentation = { readonly kind: 'shown'; readonly payload: string } | Withdrawal;
