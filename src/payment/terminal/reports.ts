import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { KindTotal } from '../events/settlement.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import { Batch, type ReportItem } from '../records/batch.ts';
import { type BatchEntry, type OpenBatches, readEntries } from '../records/batch-reader.ts';
import { type CashReturn, cashReturnsOf } from '../records/cash-returns.ts';
import type { DrawerOpening } from '../records/drawer-openings.ts';
import type { ReportedBatch } from '../records/report-figures.ts';
import { isOf, type Whose } from '../records/whose.ts';
import { type Merchants, noMerchants, takersFor } from '../transaction/merchants.ts';
import { cashSalesOf } from '../records/report.ts';
import { readableRecord, type TransactionRecord } from '../records/record.ts';
import type { ReadingTurns } from './reading-turns.ts';
import { readUnresolved } from './settlement/unresolved.ts';

export interface ReportParts {
  readonly journal: OpenBatches & Pick<Journal, 'pending' | 'read' | 'setAside' | 'unmatched' | 'matters'>;
  readonly acquirers: { keys(): Iterable<AcquirerId> };
  readonly turns: ReadingTurns;
  /** Absent: no merchants. */
  readonly merchants?: Merchants;
  /** A printer with a drawer is configured: cash sales open it. */
  readonly hasDrawer?: boolean;
  /** Openings of the drawer without a sale. */
  readonly drawer?: { openings(): Promise<readonly DrawerOpening[]> } | undefined;
}

/** The contents of batches, without closing them. */
export class Reports {
  readonly #parts: ReportParts;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /**
   * The open batch of each acquirer or of one, or the batch of that number. 'busy' if too many calls wait for lists and
   * reports; 'unknown' if nothing is in a batch of that number. `whose`: only the requests of this POS, or for this
   * merchant at its own and shared acquirers. `caller`: the identity for taking turns. Rejects with JournalError.
   */
  async read(
    only?: AcquirerId,
    batch?: number,
    whose: Whose = {},
    caller = '',
  ): Promise<readonly ReportedBatch[] | 'busy' | 'unknown'> {
    const { acquirers, merchants = noMerchants } = this.#parts;
    const own = takersFor(
      whose.merchantId,
      [...acquirers.keys()].map((id) => ({ id })),
      merchants,
    );
    const ids = own.map(({ id }) => id).filter((id) => only === undefined || id === only);
    const work = async () => {
      const read: ReportedBatch[] = [];
      // The operator's cash is the whole shop's.
      const returns = whose.posId === undefined ? await this.#cashReturns(whose) : [];
      for (const id of ids) {
        const one = await this.#read(id, batch, whose, returns);
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
    whose: Whose,
    returns: readonly CashReturn[],
  ): Promise<ReportedBatch | undefined> {
    const { journal, drawer, hasDrawer, merchants = noMerchants } = this.#parts;
    const { posId, merchantId } = whose;
    const merchant = merchants.ofAcquirer.get(acquirerId);
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
    // A mistyped number must not look like a day without sales.
    if (entries === 0 && number !== open) return undefined;
    const batch = posId === undefined && merchantId === undefined ? whole : whole.only(whose);
    // The drawer belongs to the shop, not to a merchant.
    const opened = merchantId === undefined ? ((await drawer?.openings()) ?? []) : [];
    const openings = opened.filter((each) => posId === undefined || each.posId === posId);
    return {
      acquirerId,
      ...(merchant === undefined ? {} : { merchantId: merchant }),
      batch: number,
      isOpen: number === open,
      totals: [...batch.kindTotals(), ...sumLateTips(batch.lateTips)],
      openAuths: batch.openAuths(),
      voids: batch.voids(),
      unresolved: number === open ? ((await readUnresolved(acquirerId, journal, whose)).unresolved ?? []) : [],
      items: [...batch.items, ...batch.lateTips],
      cashReturns: returns.filter((each) => each.acquirerId === acquirerId && each.batch === number),
      drawerSales: hasDrawer ? cashSalesOf(batch.items) : 0,
      drawerOpenings: openings.filter((each) => each.acquirer === acquirerId && each.batch === number),
      unreadable,
    };
  }

  /** All that are not in the archive. They are rare: each is a payment that arrived late, or in addition to another. */
  async #cashReturns(whose: Whose): Promise<readonly CashReturn[]> {
    const { journal } = this.#parts;
    const returns: CashReturn[] = [];
    for (const id of new Set([...(await journal.unmatched()), ...(await journal.matters())])) {
      const record = readableRecord(id, await journal.read(id));
      if (record && isOf(record, whose)) returns.push(...cashReturnsOf(record));
    }
    return returns;
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

/** A total of its own, because no total for the host contains them. */
function sumLateTips(tips: readonly ReportItem[]): KindTotal[] {
  const groups = Map.groupBy(tips, ({ record }) => record.amount.currency);
  return [...groups].map(([currency, group]) => ({
    kind: 'TIP_ADJUST',
    currency,
    count: group.length,
    totalMinor: group.reduce((sum, { minor }) => sum + minor, 0n).toString(),
  }));
}
