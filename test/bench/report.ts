/** A ratio, or a figure, that has a target. */
export interface Check {
  readonly what: string;
  readonly value: number;
  readonly target: number;
  readonly bound: 'at most' | 'at least';
  readonly verdict: 'PASS' | 'missed';
  /** `×` for a ratio. */
  readonly unit: string;
  /** The lowest and the highest of the figures whose middle `value` is; both are `value` where there is one only. */
  readonly spread: Spread;
}

export type Spread = readonly [low: number, high: number];

export interface CheckOptions {
  readonly unit?: string;
  readonly spread?: Spread;
}

export interface Report {
  readonly part: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly checks: readonly Check[];
  /** What was measured under which conditions, and what was not. */
  readonly notes: readonly string[];
}

export function atMost(what: string, value: number, target: number, options: CheckOptions = {}): Check {
  return check(what, value, target, 'at most', options);
}

export function atLeast(what: string, value: number, target: number, options: CheckOptions = {}): Check {
  return check(what, value, target, 'at least', options);
}

function check(
  what: string,
  value: number,
  target: number,
  bound: Check['bound'],
  { unit = '×', spread = [value, value] }: CheckOptions,
): Check {
  const isMet = bound === 'at most' ? value <= target : value >= target;
  return { what, value, target, bound, verdict: isMet ? 'PASS' : 'missed', unit, spread };
}

/** A part that can't be measured here. */
export function skipped(part: string, title: string, why: string): Report {
  return { part, title, columns: [], rows: [], checks: [], notes: [`skipped: ${why}`] };
}

/** A plain table: the first column to the left, the figures to the right. */
export function reportText({ title, columns, rows, checks, notes }: Report): string {
  const lines = [title];
  if (rows.length > 0) lines.push(...table([columns, ...rows.map((row) => row.map(cell))]));
  for (const { what, value, target, bound, verdict, unit, spread } of checks) {
    const [low, high] = spread.map(cell);
    const between = low === high ? '' : ` (${low} to ${high})`;
    const measured = unit === '×' ? `${cell(value)}${between}` : `${cell(value)} ${unit}${between}`;
    lines.push(`  ${verdict.padEnd(6)}  ${what}: ${measured}, target ${bound} ${cell(target)}`);
  }
  lines.push(...notes.map((note) => `  ${note}`));
  return lines.join('\n');
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map(
    (row) =>
      `  ${row.map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0))).join('  ')}`,
  );
}

/** Three digits that mean something are enough for any figure here. */
function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
