import type { AcquirerId } from '../../base/domain/identifiers.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import { Batch } from '../records/batch.ts';
import { type BatchEntry, type OpenBatches, readEntries } from '../records/batch-reader.ts';
import type { DrawerOpening } from '../records/drawer-openings.ts';
import type { ReportedBatch } from '../records/report-figures.ts';
import { cashSalesOf } from '../records/report.ts';
import { readableRecord, type TransactionRecord } from '../records/record.ts';
import type { ReadingTurns } from './reading-turns.ts';
import { readUnresolved } from './settlement/unresolved.ts';

export interface ReportParts {
  readonly journal: OpenBatches & Pick<Journal, 'pending' | 'read'>;
  readonly acquirers: { keys(): Iterable<AcquirerId> };
  readonly turns: ReadingTurns;
  /** A printer with a drawer is configured: cash sales open it. */
  readonly hasDrawer?: boolean;
  /** Openings of the drawer without a sale. */
  readonly drawer?: { openings(): Promise<readonly DrawerOpening[]> } | undefined;
}

/** What batches hold, without closing them. */
export class Reports {
  readonly #parts: ReportParts;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /**
   * The open batch of each acquirer, or of one; or the batch of that number. 'busy' if too many wait for lists and
   * reports; 'unknown' if nothing is in a batch of that number. `posId`: only what this POS has asked for. `caller`: who
   * takes turns. Rejects with JournalError.
   */
  async read(
    only?: AcquirerId,
    batch?: number,
    posId?: string,
    caller = '',
  ): Promise<readonly ReportedBatch[] | 'busy' | 'unknown'> {
    const ids = [...this.#parts.acquirers.keys()].filter((id) => only === undefined || id === only);
    const work = async () => {
      const read: ReportedBatch[] = [];
      for (const id of ids) {
        const one = await this.#read(id, batch, posId);
        if (!one) return 'unknown';
        read.push(one);
      }
      return read;
    };
    return (await this.#parts.turns.run(caller, work)) ?? 'busy';
  }

  async #read(
    acquirerId: AcquirerId,
    wanted: number | undefined,
    posId: string | undefined,
  ): Promise<ReportedBatch | undefined> {
    const { journal, drawer, hasDrawer } = this.#parts;
    const open = await journal.openBatch(acquirerId);
    const number = wanted ?? open;
    const whole = new Batch();
    let [entries, unreadable] = [0, 0];
    for await (const entry of readEntries(journal, acquirerId, number)) {
      entries += 1;
      const record = entry.record ?? (await this.#archived(entry));
      if (record) whole.add(record);
      else unreadable += 1;
    }
    // A number that was mistyped is no day without sales.
    if (entries === 0 && number !== open) return undefined;
    const batch = posId === undefined ? whole : whole.only(posId);
    const openings = ((await drawer?.openings()) ?? []).filter((each) => posId === undefined || each.posId === posId);
    return {
      acquirerId,
      batch: number,
      isOpen: number === open,
      totals: batch.kindTotals(),
      openAuths: batch.openAuths(),
      voids: batch.voids(),
      unresolved: number === open ? ((await readUnresolved(acquirerId, journal, posId)).unresolved ?? []) : [],
      items: batch.items,
      drawerSales: hasDrawer ? cashSalesOf(batch.items) : 0,
      drawerOpenings: openings.filter((each) => each.acquirer === acquirerId && each.batch === number),
      unreadable,
    };
  }

  /** A closed batch may be in the archive, from where its pages bring no events. */
  async #archived({ id }: BatchEntry): Promise<TransactionRecord | undefined> {
    try {
      return readableRecord(id, await this.#parts.journal.read(id));
    } catch (error) {
      if (error instanceof JournalError && error.code === 'archive') return undefined;
      throw error;
    }
  }
}
