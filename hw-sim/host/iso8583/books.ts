import type { OperationName } from './operation.ts';
import { isOpen, ledgerEntry, type LedgerEntry, type NewPosting, type Posting, type PostingStatus } from './posting.ts';
import { type Trace, traceKey } from './trace.ts';
import type { Stamp } from './verdict.ts';

/** A request that was carried out: what it changed, and what a later request must match to refer to it. */
export interface HostAction {
  readonly operation: OperationName;
  /** Field 3 of the request. */
  readonly processing: string;
  /** Field 4 of the request. */
  readonly amountMinor: bigint;
  readonly pan: string;
  readonly posting: Posting;
  /** What it was answered with. */
  readonly stamp: Stamp;
  /** For an advice: the part that its repeat shares with it. */
  readonly content?: string;
  /** A reversal took it back. */
  undone: boolean;
}

/** One refused request, as far as its message could be read. */
export interface DeclinedEntry {
  readonly stan: string;
  readonly rrn: string;
  /** 'SALE', 'AUTH', 'REFUND', 'VOID', 'VOID_OF_A_REFUND', 'OFFLINE_SALE', 'COMPLETION', 'TIP_ADJUST'. */
  readonly kind: string;
  readonly responseCode: string;
  readonly tid: string;
  readonly at: string;
}

const postingsMax = 1_000_000;
const actionsMax = 2 * postingsMax;
const declinedMax = 10_000;

/** The acquirer's books. Only `clear` removes a posting. */
export class Books {
  readonly #postings: Posting[] = [];
  readonly #actions = new Map<string, HostAction[]>();
  #actionCount = 0;
  /** By terminal and number 37. */
  readonly #byRrn = new Map<string, Posting>();
  /** What the next settlement counts, by terminal and currency: never the whole history. */
  readonly #open = new Map<string, Set<Posting>>();
  readonly #declined: DeclinedEntry[] = [];
  /** If the bank has several sites: the site whose message is being carried out. */
  site: string | undefined;

  get full(): boolean {
    return this.#postings.length >= postingsMax || this.#actionCount >= actionsMax;
  }

  post(made: NewPosting, fromUpload = false): Posting {
    const counts = { timesSettled: 0, requests: 1, reversals: 0 };
    const posting: Posting = { ...made, fromUpload, site: this.site, status: 'POSTED', batch: undefined, ...counts };
    this.#postings.push(posting);
    this.#byRrn.set(rrnKey(posting.trace.tid, posting.stamp.rrn), posting);
    this.#sort(posting);
    return posting;
  }

  /** Records what the request of this trace number did. */
  did(trace: Trace, action: HostAction): void {
    const key = traceKey(trace);
    this.#actions.set(key, [...(this.#actions.get(key) ?? []), action]);
    this.#actionCount += 1;
  }

  decline(entry: DeclinedEntry): void {
    this.#declined.push(entry);
    if (this.#declined.length > declinedMax) this.#declined.shift();
  }

  /** Everything that was ever done under a trace number, oldest first. */
  actions(trace: Pick<Trace, 'tid' | 'nii' | 'stan'>): readonly HostAction[] {
    return this.#actions.get(traceKey(trace)) ?? [];
  }

  /** The request of a trace number in the open batch: a settled batch frees its numbers. */
  effectiveAction(trace: Trace): HostAction | undefined {
    return this.actions(trace).findLast(({ undone, posting }) => !undone && posting.batch === undefined);
  }

  /** The posting that a later request names by fields 37, 41 and 62. */
  named(rrn: string, { tid, invoice }: Trace): Posting | undefined {
    const posting = this.#byRrn.get(rrnKey(tid, rrn));
    return posting?.trace.invoice === invoice ? posting : undefined;
  }

  /** The auth that a completion names by fields 37 and 41; its field 62 is a new number. */
  auth(rrn: string, { tid }: Trace): Posting | undefined {
    const posting = this.#byRrn.get(rrnKey(tid, rrn));
    return posting?.kind === 'AUTH' ? posting : undefined;
  }

  mark(posting: Posting, status: PostingStatus): void {
    posting.status = status;
    this.#sort(posting);
  }

  /** Settles a posting. One that was settled before is counted again, and stays in its first batch. */
  settle(posting: Posting, batch: number): void {
    posting.batch ??= batch;
    posting.timesSettled += 1;
    this.#sort(posting);
  }

  /** The postings that the next settlement of a terminal in a currency counts. */
  open(tid: string, currency: string): Iterable<Posting> {
    return this.#open.get(`${tid} ${currency}`) ?? [];
  }

  /** Every posting, oldest first. */
  ledger(): LedgerEntry[] {
    return this.#postings.map(ledgerEntry);
  }

  declined(): DeclinedEntry[] {
    return [...this.#declined];
  }

  clear(): void {
    this.#postings.length = 0;
    this.#actions.clear();
    this.#actionCount = 0;
    this.#byRrn.clear();
    this.#open.clear();
    this.#declined.length = 0;
  }

  #sort(posting: Posting): void {
    const key = `${posting.trace.tid} ${posting.currency.code}`;
    const open = this.#open.get(key) ?? new Set();
    this.#open.set(key, open);
    if (isOpen(posting)) open.add(posting);
    else open.delete(posting);
  }
}

function rrnKey(tid: string, rrn: string): string {
  return `${tid} ${rrn}`;
}
