import type { OctopusCard } from './card.ts';

interface Held {
  readonly card: OctopusCard;
  readonly timer: NodeJS.Timeout;
  readonly done: (used: boolean) => void;
}

/** The reader's surface: holds at most one card, for a limited time. */
export class Plate {
  readonly #onChange: () => void;
  #held: Held | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get card(): OctopusCard | undefined {
    return this.#held?.card;
  }

  /** Resolves when the card leaves: with the argument of `release`, or with false if `holdMs` ended first. */
  hold(card: OctopusCard, holdMs: number): Promise<boolean> {
    this.release(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#held = { card, timer: setTimeout(() => this.release(false), holdMs), done: resolve };
    this.#onChange();
    return promise;
  }

  release(used: boolean): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    clearTimeout(held.timer);
    held.done(used);
    this.#onChange();
  }
}
