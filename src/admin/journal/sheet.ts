import { plainText } from '../../base/domain/plain-text.ts';

/** What begins a formula, in the full width of East Asian spreadsheets too (OWASP, CSV Injection). */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

/** A row of CSV (RFC 4180). A text that a spreadsheet would calculate gets an apostrophe, and none steers a terminal. */
export function csvRow(values: readonly (string | number | undefined)[]): string {
  return values.map(cell).join(',');
}

function cell(value: string | number | undefined): string {
  const text = plainText(typeof value === 'string' && formula.test(value) ? `'${value}` : String(value ?? ''));
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
