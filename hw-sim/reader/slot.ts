import type { Card } from '../card/card.ts';

interface InsertedCard {
  readonly card: Card;
  readonly done: (met: boolean) => void;
}

/** Where the customer puts a card in: one at most, until it is taken out. */
export class Slot {
  readonly #changed: () => void;
  #inserted: InsertedCard | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get card(): Card | undefined {
    return this.#inserted?.card;
  }

  /** Resolves with true when a transaction meets the card, with false when it is taken out before. */
  insert(card: Card): Promise<boolean> {
    this.empty();
    return new Promise((done) => {
      this.#inserted = { card, done };
      this.#changed();
    });
  }

  /** A transaction has met the card, which stays where it is. */
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
