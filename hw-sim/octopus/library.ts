import { codes } from './code.ts';
import { type Deduction, Deductions } from './deduction.ts';
import type { Plate } from './plate.ts';
import type { Purses } from './purse.ts';
import type { AgentRequest } from './request.ts';

/** The result of a call: the library's code and its fields. */
export interface LibraryAnswer {
  readonly code: number;
  readonly [field: string]: string | number;
}

/** Faults of the next card. */
export interface CardFaults {
  /** In the next deduction the card is pulled away, after or before its value was taken. */
  readonly incompleteNext?: 'deducted' | 'notDeducted';
  /** The next such call with a card returns a read error; 'deducted': although it has carried out the deduction. */
  readonly readErrorNext?: 'poll' | 'deduct' | 'deducted';
  /** The reader is not connected, until switched off. */
  readonly readerAbsent?: boolean;
}

export interface LibraryOptions {
  readonly deviceId: string;
  readonly companyId: string;
  readonly now: () => Date;
}

type Order = Extract<AgentRequest, { readonly call: 'deduct' }>;

/**
 * The operator's library and its reader, function by function. Only names and codes are public; fixtures/README.md,
 * "Octopus", has their meaning. Assumed: no overdraft, which real cards have.
 */
export class OperatorLibrary {
  readonly deductions = new Deductions();
  readonly #purses: Purses;
  readonly #plate: Plate;
  readonly #options: LibraryOptions;
  #faults: CardFaults = {};
  #opened = false;
  #receipts = 0;

  constructor(purses: Purses, plate: Plate, options: LibraryOptions) {
    this.#purses = purses;
    this.#plate = plate;
    this.#options = options;
  }

  spoil(faults: CardFaults): void {
    this.#faults = { ...this.#faults, ...faults };
  }

  /** InitComm and TimeVer. */
  open(): LibraryAnswer {
    if (this.#faults.readerAbsent === true) return { code: codes.notConnected };
    this.#opened = true;
    const { deviceId, companyId } = this.#options;
    return { code: codes.done, deviceId, companyId };
  }

  /** PollEx; undefined as long as there is no card. */
  poll(): LibraryAnswer | undefined {
    if (!this.#connected) return { code: codes.notConnected };
    const card = this.#plate.card;
    if (!card) return undefined;
    if (this.#strikes('poll')) return { code: codes.readError };
    if (card.code !== undefined) {
      this.#plate.release(true);
      return { code: card.code };
    }
    return { code: codes.done, cardId: card.cardId, balance: this.#purses.unitsOf(card.cardId) };
  }

  /** A reference is deducted once: asked for again, it is answered again. */
  deduct(order: Order, note: (finding: string) => void): LibraryAnswer {
    if (!this.#connected) return { code: codes.notConnected };
    const known = this.deductions.get(order.reference);
    if (known && (known.cardId !== order.cardId || known.units !== order.amount)) {
      note('a reference that was used for another deduction');
      return { code: codes.refused };
    }
    if (known?.done) return answerOf(known, known.done);
    if (this.deductions.isClosed(order.reference) || this.deductions.full) return { code: codes.refused };
    const card = this.#plate.card;
    if (!card) return { code: known ? codes.stillIncomplete : codes.noCard };
    if (card.cardId !== order.cardId) {
      // The customer sees that it is the wrong card, and takes it away.
      this.#plate.release(false);
      return { code: codes.otherCard };
    }
    if (this.#strikes('deduct')) return { code: known ? codes.stillIncomplete : codes.readError };
    const answer = known ? this.#complete(known, codes.stillIncomplete) : this.#begin(order, card.code);
    this.#plate.release(true);
    return answer.code === codes.done && this.#strikes('deducted') ? { code: codes.readError } : answer;
  }

  /** "none" is final: a reference that never began is refused from then on. */
  find(reference: string): LibraryAnswer {
    if (!this.#connected) return { code: codes.notConnected };
    const known = this.deductions.get(reference);
    if (known?.done) return { ...answerOf(known, known.done), state: 'deducted' };
    if (known) return { code: codes.done, state: 'incomplete' };
    if (this.deductions.full) return { code: codes.notConnected };
    this.deductions.close(reference);
    return { code: codes.done, state: 'none' };
  }

  /** XFile: the day's file is closed and uploaded. An incomplete deduction waits for the next file. */
  upload(): LibraryAnswer {
    if (!this.#connected) return { code: codes.notConnected };
    let [count, total] = [0, 0];
    for (const deduction of this.deductions.ofTheDay()) {
      deduction.uploaded = true;
      count += 1;
      total += deduction.units;
    }
    return { code: codes.done, count, total };
  }

  /** Its process has ended: the reader's memory stays. */
  restart(): void {
    this.#opened = false;
  }

  /** Resets to: no fault, no deduction, initial balances. An open reader stays open. */
  clear(): void {
    this.#faults = {};
    this.#receipts = 0;
    this.deductions.clear();
    this.#purses.fill();
  }

  get #connected(): boolean {
    return this.#opened && this.#faults.readerAbsent !== true;
  }

  #begin({ cardId, amount, reference }: Order, refusal: number | undefined): LibraryAnswer {
    if (refusal !== undefined) return { code: refusal };
    const balance = this.#purses.unitsOf(cardId);
    if (balance < amount) return { code: codes.insufficient, balance };
    const at = this.#options.now().toISOString();
    const begun: Deduction = { reference, cardId, units: amount, at, taken: false, done: undefined, uploaded: false };
    this.deductions.add(begun);
    return this.#complete(begun, codes.incomplete);
  }

  /** Takes the value unless it was taken before. Returns the success unless the card is pulled away. */
  #complete(deduction: Deduction, tornCode: number): LibraryAnswer {
    const { incompleteNext: torn, ...faults } = this.#faults;
    this.#faults = faults;
    if (!deduction.taken && torn !== 'notDeducted') {
      this.#purses.take(deduction.cardId, deduction.units);
      deduction.taken = true;
    }
    if (torn !== undefined) return { code: tornCode };
    this.#receipts += 1;
    const receipt = `${this.#options.deviceId}-${this.#receipts.toString().padStart(6, '0')}`;
    deduction.done = { balance: this.#purses.unitsOf(deduction.cardId), receipt };
    return answerOf(deduction, deduction.done);
  }

  #strikes(call: NonNullable<CardFaults['readErrorNext']>): boolean {
    const { readErrorNext, ...faults } = this.#faults;
    if (readErrorNext !== call) return false;
    this.#faults = faults;
    return true;
  }
}

function answerOf({ cardId }: Deduction, { balance, receipt }: NonNullable<Deduction['done']>): LibraryAnswer {
  return { code: codes.done, cardId, balance, receipt };
}
