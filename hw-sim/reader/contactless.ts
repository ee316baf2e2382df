import { type Card, hasChip, hasInterface } from '../card/card.ts';
import type { Activation } from './activation.ts';
import { Antenna } from './antenna.ts';
import type { ReadCard, Reading } from './reading.ts';

export interface ContactlessFaults {
  /** The next card collides with another. */
  readonly collision?: boolean;
  /** The reader does not support the next card. */
  readonly unsupported?: boolean;
  /** The amount is above the reader's limit for the next card. */
  readonly overLimit?: boolean;
  /** The next card is taken away too early and stops answering. */
  readonly cardLost?: boolean;
}

export type ContactlessError = keyof ContactlessFaults;

const errors: readonly ContactlessError[] = ['collision', 'unsupported', 'overLimit', 'cardLost'];

/** The contactless side of the reader. */
export class Contactless {
  readonly #reading: Reading;
  readonly #antenna: Antenna;
  #nextError: ContactlessError | undefined;

  constructor(reading: Reading, changed: () => void) {
    this.#reading = reading;
    this.#antenna = new Antenna(changed);
  }

  get card(): Card | undefined {
    return this.#antenna.card;
  }

  hold(card: Card, holdMs: number): Promise<boolean> {
    return this.#antenna.hold(card, holdMs);
  }

  remove(): void {
    this.#antenna.release(false);
  }

  spoil(faults: ContactlessFaults): void {
    for (const error of errors) this.#spoilNext(error, faults[error]);
  }

  clearFaults(): void {
    this.#nextError = undefined;
  }

  /** Reads the held card, and the customer takes it away. Undefined if no contactless card is held. */
  meet(activation: Activation): ReadCard | ContactlessError | undefined {
    const card = this.#antenna.card;
    if (card === undefined || !hasChip(card) || !hasInterface(card, 'contactless')) return undefined;
    const error = this.#nextError;
    this.#nextError = undefined;
    const met = error ?? this.#reading.contactless(card, activation);
    this.#antenna.release(true);
    return met;
  }

  #spoilNext(error: ContactlessError, wanted: boolean | undefined): void {
    if (wanted === true) this.#nextError = error;
    if (wanted === false && this.#nextError === error) this.#nextError = undefined;
  }
}
