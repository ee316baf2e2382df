import { spreadOf } from './blocks.ts';
import { median, percentile } from './percentiles.ts';
import type { ProcessPages } from './process-pages.ts';
import { atMost, type Check, type Report } from './report.ts';

/** What was measured of a journal with so many sales, of them so many in the open batch. Milliseconds. */
export interface Filled {
  readonly settled: number;
  readonly open: number;
  readonly start: readonly number[];
  /** After each start. */
  readonly firstSale: readonly number[];
  readonly sale: readonly number[];
  readonly enquiry: readonly number[];
  readonly list: readonly number[];
  /** A page of the list of one settled batch. */
  readonly page: readonly number[];
  /** The report of the open batch, and its settlement: they read all of it. */
  readonly report: number;
  readonly settlement: number;
  readonly memory: ProcessPages;
  /** MiB of the journal that were in the page cache after it was dropped. */
  readonly cached: number | undefined;
}

type Figure = 'start' | 'firstSale' | 'sale' | 'enquiry' | 'list' | 'page';

const limits: Readonly<Record<Figure, { readonly what: string; readonly most: number }>> = {
  start: { what: 'start', most: 1.2 },
  firstSale: { what: 'the first sale after a start', most: 1.2 },
  sale: { what: 'sale', most: 1.2 },
  enquiry: { what: 'enquiry', most: 1.5 },
  list: { what: 'list', most: 1.5 },
  page: { what: 'page of a settled batch', most: 1.5 },
};
const figures = Object.keys(limits) as Figure[];

export function recordsReport(filled: readonly Filled[], samples: number): Report {
  const none = filled.find(({ settled, open }) => settled === 0 && open === 0);
  return {
    part: 'records',
    title: 'Journals of any size, not in the page cache, ms (p50)',
    columns: [
      'sales',
      'of them open',
      ...figures.map((figure) => limits[figure].what),
      'sale p99',
      'report of the open batch',
      'its settlement',
      'MiB',
      'own',
    ],
    rows: filled.map((each) => [
      String(each.settled + each.open),
      each.open,
      ...figures.map((figure) => median(each[figure])),
      percentile(each.sale, 0.99),
      each.report,
      each.settlement,
      each.memory.resident,
      each.memory.own,
    ]),
    checks: none ? filled.filter((each) => each !== none).flatMap((each) => checksOf(each, none)) : [],
    notes: [
      `${samples} of each, and the journal's files dropped from the page cache before each (posix_fadvise); the programs stay in it`,
      `of the journals ${filled.map(({ cached }) => cached?.toFixed(1) ?? 'an unknown number of').join(', ')} MiB were in the cache after it was dropped`,
    ],
  };
}

function checksOf(each: Filled, none: Filled): Check[] {
  const name = `${each.settled + each.open} sales, ${each.open} of them open`;
  return figures.map((figure) => {
    const { what, most } = limits[figure];
    const middle = median(none[figure]);
    const [low, high] = spreadOf([0.1, 0.9].map((share) => percentile(each[figure], share) / middle));
    return atMost(`${name}: ${what} / with none`, median(each[figure]) / middle, most, { spread: [low, high] });
  });
}
