import { isBatchItem } from '../../base/domain/transaction-kind.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { readEntries } from './batch-reader.ts';
import { buildTree } from './record-tree.ts';
import { readableRecord, type TransactionRecord, UnreadableRecord } from './record.ts';
import { isHeldAuth, readSettledAuths } from './settled-auths.ts';
import { transactionStatus, stands } from './transaction-status.ts';
import type { UnsettledJournal, UnsettledKind } from './unsettled.ts';

export interface FirstUnsettled {
  readonly kind: UnsettledKind;
  readonly acquirer: string;
  /** The transaction; of a closed batch, its first one that counts. */
  readonly id?: TerminalTransactionId | undefined;
}

type FoundIn = Pick<FirstUnsettled, 'kind' | 'id'>;

/**
 * Looks for anything that is unsettled at some acquirers, and stops at the first finding, so it reads a few rows,
 * however much is unsettled. `unsettledMoney` lists everything.
 */
export class UnsettledSearch {
  readonly #journal: UnsettledJournal;
  /** The authorization that was found last: as long as it holds money, no other is searched for. */
  #auth: TerminalTransactionId | undefined;

  constructor(journal: UnsettledJournal) {
    this.#journal = journal;
  }

  /**
   * Reads the whole journal only if nothing else is unsettled, for authorizations of settled batches. If `signal` ends
   * the search early, it rejects with the signal's reason, otherwise with JournalError.
   */
  async find(ids: readonly AcquirerId[], signal?: AbortSignal): Promise<FirstUnsettled | undefined> {
    // Twice, because an authorization that is completed meanwhile moves into the queue and the open batch.
    return (
      (await this.findSoon(ids, signal)) ?? (await this.#findAuth(ids, signal)) ?? (await this.findSoon(ids, signal))
    );
  }

  /**
   * The same without authorizations of settled batches: there can be no further one until something is settled. The
   * open batches come last, because what waits elsewhere may move into them. Rejects with JournalError.
   */
  async findSoon(ids: readonly AcquirerId[], signal?: AbortSignal): Promise<FirstUnsettled | undefined> {
    const journal = this.#journal;
    const isOurs = (id: string) => (ids as readonly string[]).includes(id);
    const queued = (await journal.pending()).find(({ acquirerId }) => isOurs(acquirerId));
    if (queued) return { kind: queued.message, acquirer: queued.acquirerId, id: queued.id };
    const unfinished = await this.#findUnfinished(isOurs);
    if (unfinished) return unfinished;
    const order = (await journal.closedOrders()).find(({ acquirerId }) => isOurs(acquirerId));
    if (order) return { kind: 'closedOrder', acquirer: order.acquirerId, id: order.id };
    for (const acquirer of ids) {
      const found = await this.#findClosed(acquirer, signal);
      if (found) return { ...found, acquirer };
    }
    for (const acquirer of ids) {
      const found = await this.#open(acquirer, signal);
      if (found) return { ...found, acquirer };
    }
    return undefined;
  }

  async #findUnfinished(isOurs: (id: string) => boolean): Promise<FirstUnsettled | undefined> {
    for (const id of await this.#journal.unfinished()) {
      const record = readableRecord(id, await this.#journal.read(id));
      const acquirer = record ? record.intent?.acquirerId : '';
      if (acquirer === '' || (acquirer !== undefined && isOurs(acquirer))) return { kind: 'unfinished', acquirer, id };
    }
    return undefined;
  }

  async #findClosed(id: AcquirerId, signal: AbortSignal | undefined): Promise<FoundIn | undefined> {
    const journal = this.#journal;
    const [rejected] = await journal.rejectedAdvices(id);
    if (rejected !== undefined) return { kind: 'rejected', id: rejected };
    const denied = await journal.deniedBatches(id);
    const settled = denied.find(({ currencies }) => currencies.some(({ result }) => result));
    if (settled) return { kind: 'deniedBatch', id: (await this.#firstIn(id, settled.batch, signal))?.id };
    const closed = (await journal.settlingBatches(id)).find(({ totals }) => totals.length > 0);
    return closed && { kind: 'closedBatch', id: (await this.#firstIn(id, closed.batch, signal))?.id };
  }

  async #open(id: AcquirerId, signal: AbortSignal | undefined): Promise<FoundIn | undefined> {
    const journal = this.#journal;
    for (const number of [...(await journal.unreadBatches(id)), await journal.openBatch(id)]) {
      const found = await this.#firstIn(id, number, signal);
      if (found) return found;
    }
    return undefined;
  }

  /** The first transaction that counts in this batch, or that can't be read. */
  async #firstIn(id: AcquirerId, number: number, signal: AbortSignal | undefined): Promise<FoundIn | undefined> {
    const setAside = new Set(await this.#journal.setAside(id));
    for await (const { id: each, record } of readEntries(this.#journal, id, number)) {
      if (!record && !setAside.has(each)) return { kind: 'unreadable', id: each };
      const kind = record && (await this.#kindOf(record));
      if (kind) return { kind, id: each };
      signal?.throwIfAborted();
    }
    return undefined;
  }

  /** As which kind it counts in the batch; undefined if it does not count. */
  async #kindOf(record: TransactionRecord): Promise<UnsettledKind | undefined> {
    const { type } = record.request;
    if (!stands(record) || (type !== 'AUTH' && !isBatchItem(type))) return undefined;
    try {
      const tree = await buildTree(record.id, this.#journal);
      if (!tree || transactionStatus(tree).voided) return undefined;
      if (type !== 'AUTH') return 'openBatch';
      return isHeldAuth(tree) ? 'openAuth' : undefined;
    } catch (error) {
      if (error instanceof UnreadableRecord) return 'unreadable';
      throw error;
    }
  }

  async #findAuth(ids: readonly AcquirerId[], signal: AbortSignal | undefined): Promise<FirstUnsettled | undefined> {
    const journal = this.#journal;
    if (this.#auth !== undefined) {
      const tree = await buildTree(this.#auth, journal);
      const at = tree?.record.intent?.acquirerId;
      if (tree && at !== undefined && ids.includes(at) && isHeldAuth(tree))
        return { kind: 'settledAuth', acquirer: at, id: tree.record.id };
    }
    this.#auth = undefined;
    for await (const { id, intent } of readSettledAuths(journal, () => false, signal)) {
      if (!intent || !ids.includes(intent.acquirerId)) continue;
      this.#auth = id;
      return { kind: 'settledAuth', acquirer: intent.acquirerId, id };
    }
    return undefined;
  }
}
