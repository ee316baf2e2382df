import { type OctopusCard, unitMinor } from './card.ts';

/** A card and its balance, as the control API shows them. */
export interface OctopusPurse {
  readonly name: string;
  readonly cardId: string;
  /** HKD cents. */
  readonly balanceMinor: string;
}

/** Balances of the cards, in units of ten HKD cents. In memory only. */
export class Purses {
  readonly #cards: readonly OctopusCard[];
  readonly #units = new Map<string, number>();

  constructor(cards: readonly OctopusCard[]) {
    this.#cards = cards;
    this.fill();
  }

  /** Restores every initial balance. */
  fill(): void {
    for (const { cardId, balanceMinor } of this.#cards) this.#units.set(cardId, balanceMinor / unitMinor);
  }

  named(name: string): OctopusCard | undefined {
    return this.#cards.find((card) => card.name === name);
  }

  unitsOf(cardId: string): number {
    return this.#units.get(cardId) ?? 0;
  }

  take(cardId: string, units: number): void {
    this.#units.set(cardId, this.unitsOf(cardId) - units);
  }

  entries(): OctopusPurse[] {
    return this.#cards.map(({ name, cardId }) => ({
      name,
      cardId,
      balanceMinor: (this.unitsOf(cardId) * unitMinor).toString(),
    }));
  }
}
