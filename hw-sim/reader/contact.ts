import { type Card, hasChip, hasInterface } from '../card/card.ts';
import type { Chip, IssuerDecision } from '../card/chip.ts';
import type { Activation } from './activation.ts';
import type { ReadCard, Reading } from './reading.ts';
import { Slot } from './slot.ts';

export interface ContactFaults {
  /** The next chip can't be read. */
  readonly chipFails?: boolean;
  /** The next chip declines what its issuer has approved. */
  readonly cardRefuses?: boolean;
}

/** A transaction between the two cryptograms of its chip. */
interface Waiting {
  /** Absent once the card was taken out, or the time is over. */
  readonly chip?: Chip;
  readonly timer?: NodeJS.Timeout;
}

/** The issuer could not be asked: the card declines. */
const unreachable: IssuerDecision = { answered: false, responseCode: 'Z3', scripts: [] };

/** The contact side of the reader: a slot, and the chip in it that waits for its issuer's decision. */
export class Contact {
  readonly #reading: Reading;
  readonly #changed: () => void;
  readonly #slot: Slot;
  readonly #quickChip: boolean;
  #waiting: Waiting | undefined;
  #heard: IssuerDecision | undefined;
  #faults: ContactFaults = {};

  /**
   * `quickChip`: once read, a chip gets the decision "issuer not reachable" at once, and the customer takes the card.
   */
  constructor(reading: Reading, changed: () => void, quickChip = false) {
    this.#reading = reading;
    this.#quickChip = quickChip;
    this.#changed = changed;
    this.#slot = new Slot(changed);
  }

  get card(): Card | undefined {
    return this.#slot.card;
  }

  /** A transaction waits for its issuer's decision, even if its card was removed. */
  get waits(): boolean {
    return this.#waiting !== undefined;
  }

  /** The issuer's decision that the last chip received; undefined if it received none. */
  get heard(): IssuerDecision | undefined {
    return this.#heard;
  }

  /** A transaction waits, but its card was removed. */
  get lost(): boolean {
    return this.#waiting !== undefined && this.#waiting.chip === undefined;
  }

  insert(card: Card): Promise<boolean> {
    this.remove();
    return this.#slot.insert(card);
  }

  /** Removes the card; a waiting transaction loses it. */
  remove(): void {
    if (this.#waiting !== undefined) this.#wait({});
    this.#slot.empty();
  }

  spoil({ chipFails, cardRefuses }: ContactFaults): void {
    this.#faults = {
      ...this.#faults,
      ...(chipFails !== undefined && { chipFails }),
      ...(cardRefuses !== undefined && { cardRefuses }),
    };
  }

  clearFaults(): void {
    this.#faults = {};
  }

  /**
   * Reads the card in the slot, which then waits for `conclude` or `end`. `unreadable`: its chip does not answer, and
   * the customer takes it out. Undefined if there is no card.
   */
  meet(activation: Activation): ReadCard | 'unreadable' | undefined {
    const card = this.#slot.card;
    if (card === undefined) return undefined;
    this.#slot.met();
    const { chipFails, ...others } = this.#faults;
    this.#faults = others;
    if (chipFails === true || !hasChip(card) || !hasInterface(card, 'chip')) {
      this.#slot.empty();
      return 'unreadable';
    }
    this.#heard = undefined;
    const { read, chip } = this.#reading.chip(card, activation);
    if (this.#quickChip) {
      chip.conclude(unreachable);
      this.#heard = unreachable;
      this.#slot.empty();
      return read;
    }
    const { decisionTimeoutMs } = activation;
    if (decisionTimeoutMs === undefined) this.#wait({ chip });
    else {
      const giveUp = (): void => this.remove();
      this.#wait({ chip, timer: setTimeout(giveUp, decisionTimeoutMs) });
    }
    return read;
  }

  /**
   * Gives the chip its issuer's decision, and the customer takes the card. Returns the data objects of the second
   * GENERATE AC; undefined if the card was removed.
   */
  conclude(decision: IssuerDecision): ReadonlyMap<string, Buffer> | undefined {
    const chip = this.#waiting?.chip;
    this.#wait(undefined);
    if (chip === undefined) return undefined;
    const { cardRefuses, ...others } = this.#faults;
    this.#faults = others;
    this.#heard = decision;
    const objects = chip.conclude(decision, cardRefuses);
    this.#slot.empty();
    return objects;
  }

  /** Ends the waiting transaction without its issuer: the chip declines, and the customer takes the card. */
  end(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#wait(undefined);
    if (waiting.chip === undefined) return;
    waiting.chip.conclude(unreachable);
    this.#slot.empty();
  }

  #wait(waiting: Waiting | undefined): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = waiting;
    this.#changed();
  }
}
