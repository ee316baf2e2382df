import { type Amount, groupedText } from '../base/domain/amount.ts';
import { type AcquirerId, sixDigits } from '../base/domain/identifiers.ts';
import { type CounterWords, counterWordsOf } from './counter-words.ts';
import { dateTimeLine } from './lines.ts';
import type { ReceiptLanguage } from '../base/domain/receipt-language.ts';
import { wordsOf } from './language.ts';
import { blank, centredLine, fit, leftLine, pair, type ReceiptLine, rule } from './line.ts';
import { pitchOf } from './line-dots.ts';
import { asideLines, currencyLines, type SettlementTotal } from './settlement.ts';
import type { Words } from './words.ts';

/** The content of a batch. */
export interface ReportBatch {
  readonly acquirer: AcquirerId;
  readonly batch: number;
  readonly isOpen: boolean;
  readonly totals: readonly SettlementTotal[];
  readonly openAuths: readonly SettlementTotal[];
  readonly voids: readonly SettlementTotal[];
  /** Transactions without a known outcome. */
  readonly unresolved: readonly SettlementTotal[];
  readonly unreadable: number;
}

/** The amounts that one name has taken and returned in one currency. */
export interface ReportSum {
  /** Empty if no cashier was named. */
  readonly name: string;
  readonly sales: { readonly count: number; readonly total: Amount };
  readonly refunds: { readonly count: number; readonly total: Amount };
  /** Part of the sales. */
  readonly tips: Amount;
}

/** The amount that one sale option has added in one currency. */
export interface ReportOption {
  readonly label: Readonly<Record<ReceiptLanguage, string>>;
  readonly count: number;
  readonly total: Amount;
}

/** X: the content of open batches, which stay open. Z: the content of a closed batch. */
export interface Report {
  readonly kind: 'X' | 'Z';
  readonly shopName: string;
  readonly at: Date;
  /** Of this POS alone. */
  readonly onlyPosId?: string | undefined;
  readonly batches: readonly ReportBatch[];
  /** By the kind of means, and by brand. */
  readonly methods: readonly ReportSum[];
  readonly brands: readonly ReportSum[];
  readonly tills: readonly ReportSum[];
  /** By the ids of merchants. */
  readonly merchants?: readonly ReportSum[];
  readonly cashiers: readonly ReportSum[];
  /** The amounts of sale options, part of the sales. */
  readonly options: readonly ReportOption[];
  readonly cashback: readonly { readonly count: number; readonly total: Amount }[];
  readonly cash: readonly Amount[];
  /** How often a cash sale opened the drawer. */
  readonly drawerSales: number;
  /** The users who opened the drawer without a sale, and how often. */
  readonly drawerOpenings: readonly { readonly posId: string; readonly cashierId?: string; readonly count: number }[];
}

export interface ReportPaper {
  readonly columns: number;
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
}

/** A page is so high in dots, about 30 cm: a printer takes so much as one job, also as a picture. */
const pageDots = 2_400;

/** Lays a report out: a sheet for each page, each with the heading. */
export function reportPages(report: Report, { columns, language, timeZone }: ReportPaper): readonly ReceiptLine[][] {
  const words = wordsOf(language);
  const { report: own } = counterWordsOf(language);
  const meansName = (name: string) => (own.means as Readonly<Record<string, string>>)[name] ?? nameOf(name);
  const nameOf = (name: string) => (words.methods as Readonly<Record<string, string>>)[name] ?? name;
  const lines = fit(
    [
      ...report.batches.flatMap((batch) => batchLines(batch, words, own)),
      ...sumLines(own.methods, report.methods, meansName, own),
      ...sumLines(own.brands, report.brands, nameOf, own),
      ...sumLines(own.merchants, report.merchants ?? [], (name) => name, own),
      ...sumLines(own.tills, report.tills, (name) => name, own),
      ...sumLines(own.cashiers, report.cashiers, (name) => (name === '' ? own.noCashier : name), own),
      rule,
      ...report.options.map(({ label, count, total }) =>
        pair(`${label[language]} ${count}`, `${total.currency} ${groupedText(total)}`),
      ),
      ...report.cashback.map(({ count, total }) =>
        pair(`${own.cashback} ${count}`, `${total.currency} ${groupedText(total)}`),
      ),
      leftLine(own.drawer, 'bold'),
      ...report.cash.map((each) => pair(each.currency, groupedText(each), 'bold')),
      ...openingLines(report, own),
      rule,
    ],
    columns,
  );
  const pages = pagesOf(lines);
  return pages.map((page, index) => [
    ...fit([centredLine(report.shopName, 'bold'), centredLine(own[report.kind], 'double')], columns),
    dateTimeLine(report.at, timeZone),
    ...(report.onlyPosId === undefined ? [] : fit([pair(own.onlyTill, report.onlyPosId, 'bold')], columns)),
    ...(pages.length === 1 ? [] : [pair(own.page, `${index + 1}/${pages.length}`)]),
    ...page,
  ]);
}

/** Nothing if it was not opened. */
function openingLines(
  { drawerSales, drawerOpenings: openings }: Pick<Report, 'drawerSales' | 'drawerOpenings'>,
  own: CounterWords['report'],
): ReceiptLine[] {
  if (drawerSales === 0 && openings.length === 0) return [];
  const sum = openings.reduce((all, { count }) => all + count, 0);
  return [
    rule,
    pair(own.openedBySales, String(drawerSales), 'bold'),
    pair(own.opened, String(sum), 'bold'),
    ...openings.map(({ posId, cashierId = '', count }) => pair(`${posId} ${cashierId}`.trim(), String(count))),
  ];
}

function pagesOf(lines: readonly ReceiptLine[]): readonly ReceiptLine[][] {
  const pages: ReceiptLine[][] = [[]];
  let dots = 0;
  for (const line of lines) {
    dots += pitchOf(line);
    if (dots > pageDots) {
      pages.push([]);
      dots = pitchOf(line);
    }
    pages.at(-1)?.push(line);
  }
  return pages;
}

function batchLines(batch: ReportBatch, words: Words, own: CounterWords['report']): ReceiptLine[] {
  const { acquirer, totals, openAuths, voids, unresolved, unreadable, isOpen } = batch;
  const currencies = [...new Set(totals.map(({ total }) => total.currency))];
  return [
    rule,
    pair(`${acquirer} ${words.heading.batch} ${sixDigits(batch.batch)}`, isOpen ? own.open : own.closed, 'bold'),
    ...(currencies.length === 0 ? [leftLine(words.settlement.noTransactions)] : []),
    ...currencies.flatMap((currency) => currencyLines(currency, totals, words)),
    ...asideLines(own.voids, voids, words),
    ...asideLines(words.settlement.openAuths, openAuths, words),
    ...asideLines(words.settlement.unresolved, unresolved, words),
    ...(unreadable === 0 ? [] : [pair(own.unreadable, String(unreadable), 'bold')]),
  ];
}

function sumLines(
  title: string,
  sums: readonly ReportSum[],
  nameOf: (name: string) => string,
  own: CounterWords['report'],
): ReceiptLine[] {
  if (sums.length === 0) return [];
  const money = (sign: string, amount: Amount) => `${amount.currency} ${sign}${groupedText(amount)}`;
  return [
    rule,
    leftLine(title, 'bold'),
    ...sums.flatMap(({ name, sales, refunds, tips }) => [
      blank,
      leftLine(nameOf(name)),
      pair(`${own.sales} ${sales.count}`, money('', sales.total)),
      ...(refunds.count === 0 ? [] : [pair(`${own.refunds} ${refunds.count}`, money('-', refunds.total))]),
      ...(tips.minor === 0n ? [] : [pair(own.tips, money('', tips))]),
    ]),
  ];
}
