import { majorText } from '../base/domain/amount.ts';
import type { CurrencyCode } from '../base/domain/currency.ts';
import { type AcquirerId, acquirerId } from '../base/domain/identifiers.ts';
import type { JournalledSettlement, KindTotal } from '../payment/events/settlement.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import { optionLabel } from '../payment/options/descriptions.ts';
import type { GroupTotal } from '../payment/records/report.ts';
import { type ReportedBatch, reportFigures } from '../payment/records/report-figures.ts';

/** Reports, as for every POS. */
export interface MenuReports {
  read(only?: AcquirerId, batch?: number): Promise<readonly ReportedBatch[] | 'busy' | 'unknown'>;
}

/** A report for the page: amounts in major units. */
export type Figures = ReturnType<typeof figuresOf>;

/** X of the open batches, or of one; Z of a closed one. Rejects with JournalError. */
export async function readFigures(
  { acquirer, batch }: { readonly acquirer?: string | undefined; readonly batch?: number | undefined },
  reports: MenuReports,
): Promise<Figures | 'busy' | 'unknown'> {
  const read = await reports.read(acquirer === undefined ? undefined : acquirerId(acquirer), batch);
  return typeof read === 'string' ? read : figuresOf(read);
}

function figuresOf(batches: readonly ReportedBatch[]) {
  const { kind, sums, methods, brands, options, cashback, cash, drawerSales, drawerOpenings } = reportFigures(batches);
  return {
    kind,
    batches: batches.map(
      ({ acquirerId: acquirer, batch, isOpen, totals, openAuths, voids, unresolved, unreadable }) => ({
        acquirer,
        batch,
        isOpen,
        unreadable,
        totals: totals.map(kindFigure),
        openAuths: openAuths.map(kindFigure),
        voids: voids.map(kindFigure),
        unresolved: unresolved.map(kindFigure),
      }),
    ),
    sums: sums.map(groupFigure),
    methods: methods.map(groupFigure),
    brands: brands.map(groupFigure),
    options: options.map(({ name, currency, count, minor }) => ({
      label: optionLabel(name),
      count,
      ...moneyOf(minor, currency),
    })),
    cashback: cashback.map(({ currency, count, minor }) => ({ count, ...moneyOf(minor, currency) })),
    cash: cash.map(({ currency, minor }) => moneyOf(minor, currency)),
    drawerSales,
    drawerOpenings,
  };
}

function moneyOf(minor: bigint, currency: CurrencyCode) {
  return { amount: majorText({ minor, currency }), currency };
}

function kindFigure({ kind, count, currency, totalMinor }: KindTotal) {
  return { kind, count, ...moneyOf(BigInt(totalMinor), currency) };
}

function groupFigure({ name, currency, sales, refunds, tipMinor }: GroupTotal) {
  return {
    name,
    sales: { count: sales.count, ...moneyOf(sales.minor, currency) },
    refunds: { count: refunds.count, ...moneyOf(refunds.minor, currency) },
    ...(tipMinor === 0n ? {} : { tip: moneyOf(tipMinor, currency) }),
  };
}

/** A closed batch, and the settlement that closed it. */
export interface ClosedBatch {
  readonly settlement: string;
  readonly acquirer: string;
  readonly batch: number;
  readonly at: string;
  readonly totals: readonly ReturnType<typeof kindFigure>[];
}

/** Settlements of some months, for a shop that settles daily. */
const settlementsMost = 60;

/** The batches that were settled last, the latest first. Rejects with JournalError. */
export async function readClosedBatches(journal: Pick<Journal, 'latestSettlements'>): Promise<readonly ClosedBatch[]> {
  return (await journal.latestSettlements(settlementsMost)).flatMap(batchesOf);
}

function batchesOf({ id: settlement, at, results = [] }: JournalledSettlement): readonly ClosedBatch[] {
  return results
    .filter(({ result, empty }) => result !== 'FAILED' && !empty)
    .map(({ acquirerId: acquirer, batch, totals }) => ({
      settlement,
      acquirer,
      batch,
      at,
      totals: totals.map(kindFigure),
    }));
}
