import type { CollectMode } from '../../domain/entry-mode.ts';
import type { PaymentScheme } from '../../domain/payment-scheme.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { ScreenHint } from '../../ports/screen.ts';

/** What is still asked of the customer once the means of payment was presented. The method knows how. */
export type Question = string;

/**
 * What collecting came to. `again`: nothing that can pay was presented, and the customer may try once more. What was collected is in no
 * outcome: it stays with the method's session.
 */
export type Collecting =
  | { readonly kind: 'collected'; readonly asks?: Question }
  | { readonly kind: 'again'; readonly hint: ScreenHint }
  | { readonly kind: 'ended'; readonly conclusion: Conclusion };

/** What is asked. `again`: the answer before was wrong. */
export interface Asking {
  readonly mode: CollectMode;
  readonly asks: Question;
  readonly again: boolean;
}

/** A code is to be shown: of which scheme; none where the method has none that shows one. */
export interface CodeRequest {
  readonly mode: CollectMode;
  readonly scheme: PaymentScheme | undefined;
}

/** The answer to a question: the next one, or none. */
export type Answered = Exclude<Collecting, { readonly kind: 'again' }>;

/**
 * What asking came to, already durable. `unknown` has its reversal queued and still lacks its conclusion. `waiting`: the
 * customer is asked on the phone. `card`: the host has answered, and a contact chip has the last word. `ask` and `again`:
 * nothing was charged, and the customer may answer, or present, once more.
 */
export type Authorization =
  | { readonly kind: 'concluded'; readonly conclusion: Conclusion }
  | { readonly kind: 'unknown'; readonly conclusion: Conclusion }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'card' }
  | { readonly kind: 'ask'; readonly asks: Question; readonly hint: ScreenHint }
  | { readonly kind: 'again'; readonly hint: ScreenHint };

/** closed: nobody can pay it any more, and the journal says so. */
export type Withdrawal = { readonly kind: 'closed' } | Extract<Authorization, { kind: 'concluded' | 'unknown' }>;

/** The code on show, or how the transaction ended for want of one. */
export type Presentation = { readonly kind: 'shown'; readonly payload: string } | Withdrawal;
