import type { Refusal } from '../../base/domain/reason.ts';
import { majorText } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Acquirer } from '../method/acquirer.ts';
import type { Journal } from '../contracts/journal.ts';
import { Batch } from '../records/batch.ts';
import { readEntries } from '../records/batch-reader.ts';
import { BatchLoad, type Entry, sideOf, type TakesBatch } from '../records/batch-load.ts';
import { isCompletion } from '../records/transaction-status.ts';
import { readableRecord, type TransactionRecord } from '../records/record.ts';

export interface BatchCapacityParts {
  readonly journal: Journal;
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<Acquirer, 'profile' | 'settler'>>;
}

/**
 * The room in each acquirer's open batch. The totals of a settlement message have a limited number of digits, and
 * offline sales are the merchant's risk until the host has them. Used while the terminal is claimed, so nothing comes
 * between check and payment.
 */
export class BatchCapacity {
  readonly #parts: BatchCapacityParts;
  readonly #known = new Map<AcquirerId, BatchLoad>();
  /** At most one reading per acquirer is in progress; others share its result. */
  readonly #reading = new Map<AcquirerId, Promise<BatchLoad>>();

  constructor(parts: BatchCapacityParts) {
    this.#parts = parts;
  }

  /**
   * Forgets the known loads: open batches may have changed by other ways than `take`. They are closed, reopened and
   * decided in exclusive windows only, and each ends with this.
   */
  forget(): void {
    this.#known.clear();
    this.#reading.clear();
  }

  /**
   * Reads each open batch, however long it is, so that the first payment need not. A payment that comes meanwhile waits
   * for this reading: so none is added to a batch while it is read. Rejects with JournalError.
   */
  async read(): Promise<void> {
    for (const [id, { settler }] of this.#parts.acquirers) if (settler.batchMax) await this.#load(id);
  }

  /** Counts an entry that is about to be journalled. It counts, whatever its outcome, until the batch is read again. */
  take(id: AcquirerId, entry: Entry): void {
    this.#known.get(id)?.add(entry);
  }

  /** Why the batch can't take this entry now; undefined if it can. */
  async fault(id: AcquirerId, entry: Entry): Promise<Refusal | undefined> {
    const batchMax = this.#parts.acquirers.get(id)?.settler.batchMax;
    if (!batchMax || !sideOf(entry.kind)) return undefined;
    const known = await this.#load(id);
    // The known load may be too high, never too low, so the batch is read again before a refusal.
    if (!known.takes(entry, batchMax) && !(await this.#loadAnew(id)).takes(entry, batchMax)) {
      return { reason: 'batchFull', message: `does not fit into the open batch of ${id}: settle first` };
    }
    const message = entry.isOffline ? await this.#offlineFault(id, entry) : undefined;
    return message === undefined ? undefined : { reason: 'offlineLimitExceeded', message };
  }

  /**
   * Whether these currencies of a closed batch fit into the open one: payments have been added to it since. Together
   * with them it could have a total that no settlement message can carry, and would never be settled. Only in an
   * exclusive window.
   */
  readonly takesBatch: TakesBatch = async ({ acquirerId, currencies }) => {
    const batchMax = this.#parts.acquirers.get(acquirerId)?.settler.batchMax;
    return batchMax === undefined || (await this.#reread(acquirerId)).takesAll(currencies, batchMax);
  };

  async #offlineFault(id: AcquirerId, { currency, minor }: Entry): Promise<string | undefined> {
    const limits = this.#parts.acquirers.get(id)?.profile.offline;
    if (!limits) return undefined;
    const { amountMinorMax, countMax, sumMinorMax } = limits;
    const most = (max: bigint) => `${majorText({ minor: max, currency })} ${currency}`;
    if (minor > amountMinorMax) return `must be at most ${most(amountMinorMax)} for an offline sale at ${id}`;
    const { count, sumMinor } = await this.#unheard(id, currency);
    if (count + 1 > countMax) return `can’t be taken now: ${count} offline sales wait for ${id}`;
    if (sumMinor + minor <= sumMinorMax) return undefined;
    return `can’t be taken now: with the offline sales that wait for ${id} it must be at most ${most(sumMinorMax)}`;
  }

  /** Count of offline sales that the host has not received, and their sum in this currency. */
  async #unheard(id: AcquirerId, currency: CurrencyCode): Promise<{ count: number; sumMinor: bigint }> {
    const { journal } = this.#parts;
    const waiting = (await journal.pending()).filter((each) => each.acquirerId === id && each.message === 'advice');
    let count = 0;
    let sumMinor = 0n;
    for (const each of waiting) {
      const record = readableRecord(each.id, await journal.read(each.id));
      if (record && (record.request.type !== 'OFFLINE_SALE' || isCompletion(record))) continue;
      count += 1;
      if (record?.amount.currency === currency) sumMinor += record.amount.minor;
    }
    return { count, sumMinor };
  }

  #loadAnew(id: AcquirerId): Promise<BatchLoad> {
    this.#known.delete(id);
    return this.#load(id);
  }

  async #load(id: AcquirerId): Promise<BatchLoad> {
    for (;;) {
      const known = this.#known.get(id);
      if (known) return known;
      const reading = this.#reading.get(id) ?? this.#reread(id);
      this.#reading.set(id, reading);
      const load = await reading.catch((error: unknown) => {
        if (this.#reading.get(id) === reading) this.#reading.delete(id);
        throw error;
      });
      // If it was forgotten meanwhile, or another one has read it, it is looked up again.
      if (this.#reading.get(id) !== reading) continue;
      this.#reading.delete(id);
      this.#known.set(id, load);
    }
  }

  async #reread(id: AcquirerId): Promise<BatchLoad> {
    const { journal } = this.#parts;
    const batch = await journal.openBatch(id);
    const read = new Batch();
    const perhaps: TransactionRecord[] = [];
    for await (const { record } of readEntries(journal, id, batch)) {
      if (record) read.add(record);
      if (record && mayCount(record)) perhaps.push(record);
    }
    return new BatchLoad(read, perhaps);
  }
}

/** In no total now, but the bank may confirm that it is posted. */
function mayCount({ reversal, advice, setAside }: TransactionRecord): boolean {
  return reversal === 'queued' || (advice === 'rejected' && setAside === undefined);
}
