import { cells, printable, wrap } from './cells.ts';
import type { Dots } from './dots.ts';

export interface TextLine {
  readonly kind: 'text';
  readonly text: string;
  readonly align: 'left' | 'center' | 'right';
  readonly bold: boolean;
  /** double: twice as wide and as high, so half as many cells per line. */
  readonly size: 'normal' | 'double';
}

/** `left` at the left edge and `right` at the right edge of the same line. */
export interface PairLine {
  readonly kind: 'pair';
  readonly left: string;
  readonly right: string;
  readonly bold: boolean;
  readonly size: 'normal' | 'double';
}

/** A line from edge to edge. */
interface RuleLine {
  readonly kind: 'rule';
}

/** A picture or a QR code, centred. Never wider than the paper. */
interface PictureLine {
  readonly kind: 'picture';
  readonly dots: Dots;
}

/** One line of paper. Its text fits into the columns of its layout, and contains no control characters. */
export type ReceiptLine = TextLine | PairLine | RuleLine | PictureLine;

/** Columns of font A on receipt printers, from 58 mm to 80 mm paper: the widths that the encoder supports. */
export const receiptColumns = [32, 35, 42, 44, 48] as const;

export const blank: TextLine = { kind: 'text', text: '', align: 'left', bold: false, size: 'normal' };
export const rule: RuleLine = { kind: 'rule' };

type Weight = 'plain' | 'bold' | 'double';

function style(weight: Weight): Pick<TextLine, 'bold' | 'size'> {
  return { bold: weight !== 'plain', size: weight === 'double' ? 'double' : 'normal' };
}

export function centredLine(text: string, weight: Weight = 'plain'): TextLine {
  return { kind: 'text', text: printable(text), align: 'center', ...style(weight) };
}

export function leftLine(text: string, weight: Weight = 'plain'): TextLine {
  return { ...centredLine(text, weight), align: 'left' };
}

export function pair(left: string, right: string, weight: Weight = 'plain'): PairLine {
  return { kind: 'pair', left: printable(left), right: printable(right), ...style(weight) };
}

/** A pair for each value that is not empty. */
export function pairs(...values: readonly (readonly [label: string, value: string | undefined])[]): PairLine[] {
  return values.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [pair(label, value)]));
}

/** Cells per line in that size. */
export function cellsPerLine(size: TextLine['size'], columns: number): number {
  return size === 'double' ? Math.floor(columns / 2) : columns;
}

/**
 * Lays lines out for paper of `columns` cells. Nothing is cut: text that is too long is wrapped, and text that is too
 * long for double size is set in normal size. Throws RangeError for a width that is not in `receiptColumns`.
 */
export function fit(lines: readonly ReceiptLine[], columns: number): ReceiptLine[] {
  if (!receiptColumns.some((each) => each === columns)) {
    throw new RangeError(`a receipt has ${receiptColumns.join(', ')} columns, not ${columns}`);
  }
  return lines.flatMap((line) => fitLine(line, columns));
}

/** Splits a line into as many lines as it needs. */
function fitLine(line: ReceiptLine, columns: number): ReceiptLine[] {
  switch (line.kind) {
    case 'rule':
    case 'picture':
      return [line];
    case 'text': {
      const width = cellsPerLine(line.size, columns);
      if (cells(line.text) <= width) return [line];
      if (line.size === 'double' && line.text.split(' ').some((word) => cells(word) > width)) {
        return fitLine({ ...line, size: 'normal' }, columns);
      }
      return wrap(line.text, width).map((text) => ({ ...line, text }));
    }
    case 'pair': {
      const { kind: _, left, right, ...style } = line;
      if (cells(left) + 1 + cells(right) <= cellsPerLine(line.size, columns)) return [line];
      if (line.size === 'double') return fitLine({ ...line, size: 'normal' }, columns);
      return [
        ...fitLine({ kind: 'text', text: left, align: 'left', ...style }, columns),
        ...fitLine({ kind: 'text', text: right, align: 'right', ...style }, columns),
      ];
    }
    default:
      return line satisfies never;
  }
}
