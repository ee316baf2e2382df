import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { isWithin } from '../../base/domain/time-range.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import type { ListedTransaction, ListQuery } from '../contracts/listing.ts';
import { type TransactionRecord, UnreadableRecord } from '../records/record.ts';
import { type Present, presentOf } from '../records/present.ts';
import { isOf } from '../records/whose.ts';
import type { RecordTree } from '../records/transaction-status.ts';
import type { Owner, PresentStatus } from './answers.ts';
import type { ReadingTurns } from './reading-turns.ts';
import type { Running } from './request.ts';

/** Limit of the reading for one page. A shorter page is continued by its cursor like any other. */
const slicesMax = 1_000;
const readMax = 1_000;

/** The states by which a list can be asked for. */
export type ListState = PresentStatus | 'PROCESSING';

/** Filters that the slices of the journal can't apply, by each transaction: its exact time, and its state. */
export interface PageQuery extends ListQuery {
  readonly state?: ListState;
  readonly merchantId?: string;
}

export type ListItem = ListedTransaction &
  (
    | ({ readonly kind: 'ended'; readonly record: TransactionRecord } & Present)
    | { readonly kind: 'running'; readonly running: Running }
    /** Its record, or the archive that it is in, can't be read. `reason`: in words. */
    | { readonly kind: 'unreadable'; readonly reason: string }
  );

export interface ListPage {
  readonly items: readonly ListItem[];
  /** The place after which the next page begins; undefined if there is no more. */
  readonly next?: number;
}

export interface ListParts {
  readonly journal: Pick<Journal, 'listSlice' | 'acquirers'>;
  /** The configured ones. */
  readonly acquirers: { keys(): Iterable<AcquirerId> };
  readonly terminal: {
    readonly running: (Owner & Running) | undefined;
    recall(id: TerminalTransactionId): Promise<RecordTree | undefined>;
  };
  readonly turns: ReadingTurns;
}

/** The journal's transactions, in pages. */
export class TransactionLists {
  readonly #parts: ListParts;

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  /** All acquirers that may have a transaction. */
  async acquirers(): Promise<readonly AcquirerId[]> {
    const { journal, acquirers } = this.#parts;
    return [...new Set([...acquirers.keys(), ...(await journal.acquirers())])];
  }

  /**
   * `from`: the place after which the page begins. `caller`: the identity for taking turns. 'busy' if too many wait for
   * a list. Rejects with JournalError.
   */
  async page(query: PageQuery, from?: number, caller = ''): Promise<ListPage | 'busy'> {
    return (await this.#parts.turns.run(caller, () => this.#read(query, from))) ?? 'busy';
  }

  async #read(query: PageQuery, from: number | undefined): Promise<ListPage> {
    const { state: _decidedHere, ...ofJournal } = query;
    const items: ListItem[] = [];
    let [place, read] = [from, 0];
    const end = (): ListPage => ({ items, ...(place === undefined ? {} : { next: place }) });
    for (let slices = 0; slices < slicesMax; slices++) {
      // One more than requested shows whether there is another page.
      const wanted = { ...ofJournal, limit: query.limit + 1 - items.length };
      const { found, next } = await this.#parts.journal.listSlice(wanted, place);
      for (const one of found) {
        if (read === readMax || items.length === query.limit) return end();
        const item = await this.#itemOf(one);
        // Later transactions in this order are listed once they have ended: a reader would not return to them.
        if (query.order === 'oldest' && item.kind === 'running') return end();
        read += 1;
        place = one.place;
        if (belongs(item, query)) items.push(item);
      }
      if (next === undefined) return query.order === 'oldest' ? end() : { items };
      place = next;
    }
    return end();
  }

  async #itemOf(one: ListedTransaction): Promise<ListItem> {
    const running = this.#runningAs(one);
    if (running) return { ...one, kind: 'running', running };
    try {
      const tree = await this.#parts.terminal.recall(one.id);
      // It may have begun while the journal was read.
      const runningNow = this.#runningAs(one);
      if (runningNow) return { ...one, kind: 'running', running: runningNow };
      if (!tree) return { ...one, kind: 'unreadable', reason: `the journal has no events of ${one.id}` };
      return { ...one, kind: 'ended', record: tree.record, ...presentOf(tree) };
    } catch (error) {
      const isKnown = error instanceof UnreadableRecord || (error instanceof JournalError && error.code === 'archive');
      if (!isKnown) throw error;
      return { ...one, kind: 'unreadable', reason: error.message };
    }
  }

  #runningAs({ posId, messageId }: ListedTransaction): Running | undefined {
    const { running } = this.#parts.terminal;
    return running?.posId === posId && running.messageId === messageId ? running : undefined;
  }
}

/** An unreadable one is in every list, because it can't be excluded. */
function belongs(item: ListItem, query: PageQuery): boolean {
  const { state, merchantId } = query;
  switch (item.kind) {
    case 'unreadable':
      return true;
    case 'running':
      return (
        (state === undefined || state === 'PROCESSING') &&
        (merchantId === undefined || item.running.merchantId === merchantId)
      );
    case 'ended': {
      const { record, status } = item;
      return (
        isWithin(record.createdAt, query) && (state === undefined || state === status) && isOf(record, { merchantId })
      );
    }
    default:
      return item satisfies never;
  }
}
