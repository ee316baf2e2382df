import type { Card } from '../card/card.ts';
import type { Activation } from './activation.ts';
import type { Contact } from './contact.ts';
import type { Contactless, ContactlessError } from './contactless.ts';
import type { ReadCard, Reading } from './reading.ts';
import { swiped } from './stripe.ts';

/** The result of waiting for a card. `useStripe`, `useChip`: the card must be read in another way. */
export type Meeting =
  | { readonly kind: 'card'; readonly read: ReadCard }
  | { readonly kind: ContactlessError | 'useStripe' | 'useChip' | 'timeout' };

export interface TransactionParts {
  readonly reading: Reading;
  readonly contactless: Contactless;
  readonly contact: Contact;
  /**
   * Called at every meeting. The transaction then waits no longer, except after a collision, if the reader continues.
   */
  readonly met: (meeting: Meeting) => void;
  /** Whether the reader continues to wait after a collision. */
  readonly goesOnAfterCollision: boolean;
  readonly changed: () => void;
}

interface Armed {
  readonly activation: Activation;
  readonly timer: NodeJS.Timeout;
}

/** A transaction from its arming until a card comes. Either of the two may be there first. */
export class Transaction {
  readonly #parts: TransactionParts;
  #armed: Armed | undefined;
  /** The last card's chip could not be read: its stripe is accepted. */
  #chipFailed = false;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  get activation(): Activation | undefined {
    return this.#armed?.activation;
  }

  arm(activation: Activation): void {
    const timer = setTimeout(() => {
      this.disarm();
      this.#parts.met({ kind: 'timeout' });
    }, activation.timeoutMs);
    this.#armed = { activation, timer };
    this.#parts.changed();
    this.meet();
  }

  /** Waits no longer for a card, nor for the stripe of a failed chip. */
  disarm(): void {
    if (this.#armed === undefined) return;
    this.#chipFailed = false;
    this.#endArming();
  }

  /** A card may be there. */
  meet(): void {
    const { contact, contactless } = this.#parts;
    const activation = this.activation;
    if (activation === undefined) return;
    const chip = activation.interfaces.includes('chip') ? contact.meet(activation) : undefined;
    if (chip === 'unreadable') {
      this.#finish({ kind: 'useStripe' });
      return;
    }
    if (chip !== undefined) {
      this.#finish({ kind: 'card', read: chip });
      return;
    }
    const held = activation.interfaces.includes('contactless') ? contactless.meet(activation) : undefined;
    if (held === undefined) return;
    this.#finish(typeof held === 'string' ? { kind: held } : { kind: 'card', read: held });
  }

  /** Whether a transaction has met the stripe, whatever the outcome. */
  swipe(card: Card): boolean {
    const activation = this.activation;
    if (activation === undefined) return false;
    const stripe = swiped(card, activation, this.#parts.reading, this.#chipFailed);
    if (stripe === undefined) return false;
    this.#finish(stripe === 'useChip' ? { kind: stripe } : { kind: 'card', read: stripe });
    return true;
  }

  forgetFailure(): void {
    this.#chipFailed = false;
  }

  #finish(meeting: Meeting): void {
    if (meeting.kind === 'card') this.#chipFailed = false;
    if (meeting.kind === 'useStripe') this.#chipFailed = true;
    if (meeting.kind !== 'collision' || !this.#parts.goesOnAfterCollision) this.#endArming();
    this.#parts.met(meeting);
  }

  #endArming(): void {
    clearTimeout(this.#armed?.timer);
    this.#armed = undefined;
    this.#parts.changed();
  }
}
