import type { Money } from './currency.ts';

/** One posting: money that moved, or that moved and came back. Declined sales are no postings. */
export interface LedgerEntry extends Money {
  /** Field 11, six digits. */
  readonly stan: string;
  /** Field 37. */
  readonly rrn: string;
  readonly kind: 'SALE';
  readonly status: 'POSTED' | 'REVERSED';
  readonly tid: string;
  readonly mid: string;
  /** Field 24, three digits. */
  readonly nii: string;
  /** Field 62. */
  readonly invoice: string;
  /** Last four digits: '************0119'. */
  readonly maskedPan: string;
  readonly approvalCode: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** How often this 0200 arrived; more than 1 were answered 94. */
  readonly requests: number;
  /** How often a reversal of it arrived; the first one reversed it. */
  readonly reversals: number;
}

/** One sale that was refused, with as much as the refused message told. */
export interface DeclinedEntry {
  readonly stan: string;
  readonly rrn: string;
  readonly kind: 'SALE';
  readonly responseCode: string;
  readonly tid: string;
  readonly at: string;
}

export type NewPosting = Omit<LedgerEntry, 'kind' | 'status' | 'maskedPan' | 'requests' | 'reversals'> & {
  readonly pan: string;
};

interface Posting {
  /** Whole card number: a reversal must name the same one. It never leaves the books. */
  readonly pan: string;
  entry: LedgerEntry;
}

const postingsMax = 1_000_000;
const declinedMax = 10_000;

/** What the acquirer knows of the money. Nothing but `clear` ever takes a posting out. */
export class Books {
  readonly #postings: Posting[] = [];
  readonly #byTrace = new Map<string, Posting[]>();
  readonly #declined: DeclinedEntry[] = [];

  get full(): boolean {
    return this.#postings.length >= postingsMax;
  }

  post(posting: NewPosting): void {
    const { pan, ...rest } = posting;
    const maskedPan = pan.slice(-4).padStart(pan.length, '*');
    const entry: LedgerEntry = { ...rest, kind: 'SALE', status: 'POSTED', maskedPan, requests: 1, reversals: 0 };
    const kept: Posting = { pan, entry };
    this.#postings.push(kept);
    const key = traceKey(entry.tid, entry.stan);
    this.#byTrace.set(key, [...(this.#byTrace.get(key) ?? []), kept]);
  }

  decline(entry: Omit<DeclinedEntry, 'kind'>): void {
    this.#declined.push({ ...entry, kind: 'SALE' });
    if (this.#declined.length > declinedMax) this.#declined.shift();
  }

  /** The same 0200 once more: notes it at the posting that stands, and gives that. */
  repeated(tid: string, stan: string, nii: string): LedgerEntry | undefined {
    const posting = this.#traced(tid, stan).find(({ entry }) => entry.nii === nii && entry.status === 'POSTED');
    if (!posting) return undefined;
    posting.entry = { ...posting.entry, requests: posting.entry.requests + 1 };
    return posting.entry;
  }

  /**
   * Takes back the posting of this trace number, amount and card. Done already: notes it and changes nothing else.
   * A posting that stands goes before one that was reversed, where a terminal has used the same trace number again.
   */
  reverse(original: { tid: string; stan: string; amountMinor: string; pan: string }): LedgerEntry | undefined {
    const { tid, stan, amountMinor, pan } = original;
    const matching = this.#traced(tid, stan).filter(
      (posting) => posting.entry.amountMinor === amountMinor && posting.pan === pan,
    );
    const posting = matching.find(({ entry }) => entry.status === 'POSTED') ?? matching.at(-1);
    if (!posting) return undefined;
    posting.entry = { ...posting.entry, status: 'REVERSED', reversals: posting.entry.reversals + 1 };
    return posting.entry;
  }

  /** Every posting, oldest first. */
  ledger(): LedgerEntry[] {
    return this.#postings.map(({ entry }) => entry);
  }

  declined(): DeclinedEntry[] {
    return [...this.#declined];
  }

  clear(): void {
    this.#postings.length = 0;
    this.#byTrace.clear();
    this.#declined.length = 0;
  }

  #traced(tid: string, stan: string): readonly Posting[] {
    return this.#byTrace.get(traceKey(tid, stan)) ?? [];
  }
}

function traceKey(tid: string, stan: string): string {
  return `${tid} ${stan}`;
}
