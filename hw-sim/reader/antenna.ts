import type { Card } from '../card/card.ts';

interface HeldCard {
  readonly card: Card;
  readonly timer: NodeJS.Timeout;
  readonly done: (read: boolean) => void;
}

/** The reader's antenna: the customer holds at most one card to it, for a limited time. */
export class Antenna {
  readonly #changed: () => void;
  #held: HeldCard | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get card(): Card | undefined {
    return this.#held?.card;
  }

  /** Resolves when the card leaves: true if it was read, false if `holdMs` ended or it was taken away first. */
  hold(card: Card, holdMs: number): Promise<boolean> {
    this.release(false);
    return new Promise((done) => {
      const timer = setTimeout(() => {
        this.release(false);
      }, holdMs);
      this.#held = { card, timer, done };
      this.#changed();
    });
  }

  release(read: boolean): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    clearTimeout(held.timer);
    held.done(read);
    this.#changed();
  }
}
