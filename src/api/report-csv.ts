/** Rows as CSV (RFC 4180), the names of the columns first. */
export function csvOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** What begins a formula, in the full width of East Asian spreadsheets too (OWASP, CSV Injection). */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

/** A text that a spreadsheet would calculate gets an apostrophe: a cashier's name is no formula. */
function field(value: string | number): string {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  // A semicolon separates fields where a comma is the decimal sign.
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
