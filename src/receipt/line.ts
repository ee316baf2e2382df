import type { Dots } from './dots.ts';

/**
 * Text in the cells of a receipt printer: one cell for a Latin character, two for a Chinese one. The unit is the
 * grapheme cluster (Unicode UAX #29), so an accent is never separated from its letter.
 */
let segmenter: Intl.Segmenter | undefined;

/** East Asian wide and full-width characters (Unicode UAX #11), and the characters shown as emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Maximum length of a field in UTF-16 code units. Longer text comes from a faulty configuration or request. */
const lengthMax = 512;

/**
 * Makes text from a shop, a POS or a card safe to print: one line, single spaces, and without characters that a printer
 * or a page could take for a command: control characters (ESC, DLE, …), bidirectional overrides, private use.
 */
function printable(text: string): string {
  return text.slice(0, lengthMax).normalize('NFC').replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim();
}

export function graphemes(text: string): string[] {
  // Its rules are read when the first text is measured, because they would delay the start by 20 ms.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cells of one grapheme: 1 or 2. */
export function cellsOf(grapheme: string): 1 | 2 {
  return wide.test(grapheme) ? 2 : 1;
}

/** Cells of a text. */
export function cells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0);
}

/** Pads the text with spaces to `columns` cells. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - cells(text)));
}

/**
 * Breaks a text into lines of at most `columns` cells: between words, and inside a word only if the word alone is too
 * long.
 */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cells(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakWord(word, columns);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, line];
}

function breakWord(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const width = cellsOf(grapheme);
    if (used + width > columns) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += grapheme;
    used += width;
  }
  return [...pieces, piece];
}

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
