import { cells } from './cells.ts';
import type { ReceiptLine } from './line.ts';

/** The receipt as plain text; each line ends with a line feed. Only sizes and weights are lost. */
export function receiptText(lines: readonly ReceiptLine[], columns: number): string {
  return lines.map((line) => `${padText(line, columns).trimEnd()}\n`).join('');
}

/**
 * One line with the spaces of its alignment, in a line of `width` cells of its own size. Throws RangeError for a line
 * that was laid out for wider paper.
 */
export function padText(line: ReceiptLine, width: number): string {
  if (line.kind === 'rule') return '-'.repeat(width);
  if (line.kind === 'picture') return '';
  const spare = width - cells(line.kind === 'pair' ? line.left + line.right : line.text);
  if (spare < 0) throw new RangeError(`a line of ${width - spare} cells does not fit into ${width}`);
  if (line.kind === 'pair') return line.left + ' '.repeat(spare) + line.right;
  switch (line.align) {
    case 'left':
      return line.text;
    case 'center':
      return ' '.repeat(Math.floor(spare / 2)) + line.text;
    case 'right':
      return ' '.repeat(spare) + line.text;
    default:
      return line.align satisfies never;
  }
}
