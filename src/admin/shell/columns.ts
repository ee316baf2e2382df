import { cellsOf, graphemes } from '../../receipt/line.ts';

/** Rows below each other; a cell that is a number stands at the right of its column. */
export function columns(rows: readonly (readonly string[])[], indent = ''): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => width(row[at] ?? ''))));
  const isNumeric = widths.map((_, at) => rows.slice(1).every((row) => /^(?:-?\d[\d.,]*)?$/.test(row[at] ?? '')));
  const cell = (text: string, at: number) => {
    const gap = ' '.repeat((widths[at] ?? 0) - width(text));
    return isNumeric[at] && rows.length > 1 ? gap + text : text + gap;
  };
  return rows.map((row) => (indent + row.map(cell).join('  ')).trimEnd()).join('\n');
}

/** Chinese takes two cells of a terminal. */
function width(text: string): number {
  return graphemes(text).reduce((sum, each) => sum + cellsOf(each), 0);
}
