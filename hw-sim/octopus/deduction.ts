import { unitMinor } from './card.ts';

/** One reference that the library has begun to deduct. */
export interface Deduction {
  readonly reference: string;
  readonly cardId: string;
  readonly units: number;
  readonly at: string;
  /** The value has left the card, whether the reader knows or not. */
  taken: boolean;
  /** What the library answered once it was sure: the card's balance after it, in units, and its receipt number. */
  done: { readonly balance: number; readonly receipt: string } | undefined;
  uploaded: boolean;
}

/** A deduction as the control API tells it. */
export interface OctopusLedgerEntry {
  readonly reference: string;
  readonly cardId: string;
  /** HKD cents. */
  readonly amountMinor: string;
  /** INCOMPLETE: the reader does not know whether the value has left the card. */
  readonly status: 'POSTED' | 'INCOMPLETE';
  readonly receipt: string | null;
  /** It is in a file that was handed to the operator. */
  readonly uploaded: boolean;
  /** When it was first asked for. ISO 8601, UTC. */
  readonly at: string;
}

const referencesMax = 100_000;

/** What the reader remembers of references: those that it began to deduct, and those that it never will. */
export class Deductions {
  readonly #byReference = new Map<string, Deduction>();
  readonly #closed = new Set<string>();

  /** Nothing more can be remembered, so that nothing more may be promised. */
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

  /** The one that was begun last, of those whose card has to come back. */
  get incomplete(): Deduction | undefined {
    return [...this.#byReference.values()].findLast(({ done }) => done === undefined);
  }

  /** Posted and not handed over yet. */
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
