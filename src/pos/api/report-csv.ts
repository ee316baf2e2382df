import { majorText } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { KindTotal } from '../../payment/events/settlement.ts';
import { optionTotals } from '../../payment/records/option-totals.ts';
import { cashbackOf, cashOf, type GroupTotal } from '../../payment/records/report.ts';
import { countOpenings } from '../../payment/records/drawer-openings.ts';
import type { ReportedBatch } from '../../payment/records/report-figures.ts';

/**
 * A group has its sales, refunds and tips, and at the end of the line the changes; any other line has a count and an
 * amount.
 */
const groupColumns = ['salesCount', 'salesAmount', 'refundsCount', 'refundsAmount', 'tipAmount'];
const changedColumns = ['finalAmount', 'refundedAmount'];
const columns = ['by', 'name', 'currency', ...groupColumns, 'count', 'amount', ...changedColumns];
const unchanged = changedColumns.map(() => '');

/** The figures of a report, a line each. */
export function reportCsv(
  groups: Readonly<Record<string, readonly GroupTotal[]>>,
  batches: readonly ReportedBatch[],
): string {
  const items = batches.flatMap((each) => each.items);
  const returns = batches.flatMap((each) => each.cashReturns);
  const aside = (by: string, totals: readonly KindTotal[]) =>
    totals.map(({ kind, currency, count, totalMinor }) => line(by, kind, currency, count, BigInt(totalMinor)));
  return csvOf(columns, [
    ...Object.entries(groups).flatMap(([by, totals]) => totals.map((each) => groupLine(by, each))),
    ...batches.flatMap(({ voids, openAuths, unresolved }) => [
      ...aside('voids', voids),
      ...aside('openAuths', openAuths),
      ...aside('unresolved', unresolved),
    ]),
    ...optionTotals(items).map(({ name, currency, count, minor }) => line('options', name, currency, count, minor)),
    ...cashbackOf(items).map(({ currency, count, minor }) => line('cashBack', '', currency, count, minor)),
    ...cashOf(items, returns).map(({ currency, minor }) => line('cash', '', currency, '', minor)),
    [
      'drawerSales',
      '',
      '',
      ...groupColumns.map(() => ''),
      batches.reduce((sum, each) => sum + each.drawerSales, 0),
      '',
      ...unchanged,
    ],
    ...countOpenings(batches.flatMap((each) => each.drawerOpenings)).map(({ posId, cashierId, count }) => [
      'drawerOpenings',
      [posId, cashierId].filter(Boolean).join(' '),
      '',
      ...groupColumns.map(() => ''),
      count,
      '',
      ...unchanged,
    ]),
  ]);
}

function groupLine(by: string, total: GroupTotal) {
  const { name, currency, sales, refunds, tipMinor, finalMinor, refundedMinor } = total;
  const major = (minor: bigint) => majorText({ minor, currency });
  const amounts = [sales.count, major(sales.minor), refunds.count, major(refunds.minor), major(tipMinor)];
  return [by, name, currency, ...amounts, '', '', major(finalMinor), major(refundedMinor)];
}

function line(by: string, name: string, currency: CurrencyCode, count: number | '', minor: bigint) {
  return [by, name, currency, ...groupColumns.map(() => ''), count, majorText({ minor, currency }), ...unchanged];
}

/** Rows as CSV (RFC 4180), the names of the columns first. */
export function csvOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** Characters that begin a formula, also in full width as in East Asian spreadsheets (OWASP, CSV Injection). */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

/** A text that a spreadsheet would calculate gets an apostrophe: a cashier's name is no formula. */
function field(value: string | number): string {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  // A semicolon separates fields where a comma is the decimal sign.
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
