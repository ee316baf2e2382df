import type { CollectOutcome } from '../../ports/card-reader.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { ScreenHint } from '../../ports/screen.ts';

/**
 * What asking came to, already durable. `unknown` has its reversal queued and still lacks its conclusion. `waiting`: the
 * customer is asked on the phone. `card`: the host has answered, and a contact chip has the last word. `wrongPin` and `again`:
 * nothing was charged, and the customer may try once more.
 */
export type Authorization =
  | { readonly kind: 'concluded'; readonly conclusion: Conclusion }
  | { readonly kind: 'unknown'; readonly conclusion: Conclusion }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'card' }
  | { readonly kind: 'wrongPin' }
  | { readonly kind: 'again'; readonly hint: ScreenHint };

/** closed: nobody can pay it any more, and the journal says so. */
export type Withdrawal = { readonly kind: 'closed' } | Extract<Authorization, { kind: 'concluded' | 'unknown' }>;

/** The code on show, or how the transaction ended for want of one. */
export type Presentation = { readonly kind: 'shown'; readonly payload: string } | Withdrawal;

/** A card as the machine needs to know it: what is still to be asked of the customer. The card itself stays with the terminal. */
export type CardCollected =
  | { readonly kind: 'card'; readonly asks: 'nothing' | 'pin' | 'account' }
  | Exclude<CollectOutcome, { kind: 'card' }>;

export type CodeCollected = { readonly kind: 'code' | 'notACode' | 'cancelled' };

export type OctopusCollected =
  | { readonly kind: 'card' | 'tryAgain' | 'cancelled' }
  | { readonly kind: 'refused'; readonly code: number };
