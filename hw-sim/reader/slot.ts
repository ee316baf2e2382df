import type { Card } from '../card/card.ts';

interface InsertedCard {
  readonly card: Card;
  readonly done: (met: boolean) => void;
}

/** The reader's slot: at most one card, until it is taken out. */
export class Slot {
  readonly #changed: () => void;
  #inserted: InsertedCard | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get card(): Card | undefined {
    return this.#inserted?.card;
  }

  /** Resolves with true when a transaction meets the card, with false if it is taken out first. */
  insert(card: Card): Promise<boolean> {
    this.empty();
    return new Promise((done) => {
      this.#inserted = { card, done };
      this.#changed();
    });
  }

  /** A transaction has met the card, which stays in the slot. */
  met(): void {
    this.#inserted?.done(true);
  }

  empty(): void {
    const inserted = this.#inserted;
    if (inserted === undefined) return;
    this.#inserted = undefined;
    inserted.done(false);
    this.#changed();
  }
}
