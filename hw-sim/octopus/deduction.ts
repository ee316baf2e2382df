import { unitMinor } from './card.ts';

/** A deduction that has begun, by its reference. */
export interface Deduction {
  readonly reference: string;
  readonly cardId: string;
  readonly units: number;
  readonly at: string;
  /** The value has left the card, whether the reader knows it or not. */
  taken: boolean;
  /** The library's final answer: the card's balance afterwards, in units, and the receipt number. */
  done: { readonly balance: number; readonly receipt: string } | undefined;
  uploaded: boolean;
}

/** A deduction as the control API shows it. */
export interface OctopusLedgerEntry {
  readonly reference: string;
  readonly cardId: string;
  /** HKD cents. */
  readonly amountMinor: string;
  /** INCOMPLETE: the reader does not know whether the value has left the card. */
  readonly status: 'POSTED' | 'INCOMPLETE';
  readonly receipt: string | null;
  /** It is in a file that was uploaded to the operator. */
  readonly uploaded: boolean;
  /** Time of its first request. ISO 8601, UTC. */
  readonly at: string;
}

const referencesMax = 100_000;

/** The reader's memory of references: those whose deduction began, and those that it will never deduct. */
export class Deductions {
  readonly #byReference = new Map<string, Deduction>();
  readonly #closed = new Set<string>();

  /** The memory is full, so no further reference may be accepted. */
  get full(): boolean {
    return this.#byReference.size + this.#closed.size >= referencesMax;
  }

  get(reference: string): Deduction | undefined {
    return this.#byReference.get(reference);
  }

  add(deduction: Deduction): void {
    this.#byReference.set(deduction.reference, deduction);
  }

  /** From now on this reference is never deducted. */
  close(reference: string): void {
    this.#closed.add(reference);
  }

  isClosed(reference: string): boolean {
    return this.#closed.has(reference);
  }

  /** The incomplete deduction that began last. */
  get incomplete(): Deduction | undefined {
    return [...this.#byReference.values()].findLast(({ done }) => done === undefined);
  }

  /** Posted and not uploaded yet. */
  *ofTheDay(): Generator<Deduction> {
    for (const deduction of this.#byReference.values()) {
      if (deduction.done && !deduction.uploaded) yield deduction;
    }
  }

  /** Oldest first. */
  ledger(): OctopusLedgerEntry[] {
    return Array.from(this.#byReference.values(), ({ reference, cardId, units, at, done, uploaded }) => ({
      reference,
      cardId,
      amountMinor: (units * unitMinor).toString(),
      status: done ? 'POSTED' : 'INCOMPLETE',
      receipt: done?.receipt ?? null,
      uploaded,
      at,
    }));
  }

  clear(): void {
    this.#byReference.clear();
    this.#closed.clear();
  }
}
