import type { TimeRange } from '../../base/domain/time-range.ts';
import type { ListQuery } from '../../payment/contracts/listing.ts';
import { jsonText, print } from '../../base/standard-output.ts';
import { UsageError } from '../../base/usage-error.ts';
import { entriesOf, type EntryJournal, type JournalEntry } from '../../payment/records/journal-entry.ts';
import { settlementRowsOf, type SettlementJournal, type SettlementRow } from '../../payment/records/settlement-row.ts';
import { plainText } from '../../base/domain/plain-text.ts';

/** Characters that begin a formula, also in full width as in East Asian spreadsheets (OWASP, CSV Injection). */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

/**
 * A row of CSV (RFC 4180). A text that a spreadsheet would calculate gets an apostrophe, and control characters are
 * escaped.
 */
export function csvRow(values: readonly (string | number | undefined)[]): string {
  return values.map(cell).join(',');
}

function cell(value: string | number | undefined): string {
  const text = plainText(typeof value === 'string' && formula.test(value) ? `'${value}` : String(value ?? ''));
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One of both. */
interface Format {
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
}

const columns = [
  'terminalTransactionId',
  'at',
  'posId',
  'messageId',
  'type',
  'amount',
  'currency',
  'state',
  'reason',
  'method',
  'lastFour',
  'acquirer',
  'batch',
  'trace',
  'invoice',
  'approvalCode',
  'reversal',
  'advice',
  'original',
  'presentBatch',
  'finalAmount',
  'refundedAmount',
  'merchantId',
] as const satisfies readonly (keyof JournalEntry)[];

const settlementColumns = [
  'terminalTransactionId',
  'at',
  'posId',
  'messageId',
  'acquirer',
  'mid',
  'tid',
  'batch',
  'result',
  'message',
  'type',
  'currency',
  'count',
  'amount',
  'merchantId',
] as const satisfies readonly (keyof SettlementRow)[];

/** Every transaction of the query. Resolves with the exit code. */
export function printEntries(reading: EntryJournal, query: ListQuery, format: Format): Promise<number> {
  return printRows(format, columns, entriesOf(reading, query, Number.POSITIVE_INFINITY));
}

/** The totals of every settlement of that time. Resolves with the exit code. */
export function printSettlements(reading: SettlementJournal, query: TimeRange, format: Format): Promise<number> {
  return printRows(format, settlementColumns, settlementRowsOf(reading, query));
}

/** Lines are written as they are read: a journal may be larger than the memory. */
async function printRows<Column extends string>(
  { json, csv }: Format,
  names: readonly Column[],
  rows: AsyncIterable<Readonly<Record<Column, string | number | undefined>>>,
): Promise<number> {
  if (Boolean(json) === Boolean(csv)) throw new UsageError('an export takes --json or --csv');
  if (csv) await print(`${csvRow(names)}\r\n`);
  for await (const row of rows)
    await print(csv ? `${csvRow(names.map((name) => row[name]))}\r\n` : `${jsonText(row)}\n`);
  return 0;
}
