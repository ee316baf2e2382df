import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';

/** `totalMinor`: decimal digits. */
interface Sum {
  readonly count: number;
  readonly totalMinor: string;
}

interface Sums {
  readonly sales: Sum;
  readonly refunds: Sum;
}

/**
 * One currency of a settled batch in which the host's books differed, without an explanation in this terminal's data.
 */
export interface BatchDifference extends Sums {
  readonly currency: CurrencyCode;
  /** Transactions that the host has rejected: they are among the sums, and not settled. */
  readonly rejected?: Sums;
}

export interface BooksDiffer extends BatchDifference {
  readonly kind: 'booksDiffer';
  readonly acquirerId: AcquirerId;
  readonly batch: number;
}

/** The journal is a restored older copy, or another one than before: payments since then are not in it. */
export interface JournalRestored {
  readonly kind: 'journalRestored';
  /** When its last event was written, ISO 8601; absent if it has none. */
  readonly lastAt?: string;
  /** The number of its last event. */
  readonly lastEvent: number;
}

/**
 * A difference from the books of the banks that only they can explain. It is listed until the operator has settled it
 * with the bank. `at`: when it was found, ISO 8601.
 */
export type Discrepancy = (BooksDiffer | JournalRestored) & { readonly number: number; readonly at: string };
