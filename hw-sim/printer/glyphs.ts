import { readFileSync } from 'node:fs';
import { Bitmap } from './bitmap.ts';

/** Font A is 12 × 24 dots, font B 9 × 17. */
export type Font = 'A' | 'B';

export const cellSize = { A: { width: 12, height: 24 }, B: { width: 9, height: 17 } } as const satisfies Record<
  Font,
  { width: number; height: number }
>;

const drawnRows = 12;
const drawnWidth = 6;
const line = /^([0-9a-f]{4}) ([0-9a-f]{24})$/;

const drawings = readDrawings(readFileSync(new URL('glyphs.hex', import.meta.url), 'utf8'));

function readDrawings(text: string): ReadonlyMap<string, Bitmap> {
  const found = new Map<string, Bitmap>();
  for (const row of text.split('\n')) {
    if (row === '' || row.startsWith('#')) continue;
    const [, codePoint, rows] = line.exec(row) ?? [];
    if (codePoint === undefined || rows === undefined) throw new Error(`glyphs.hex: not a glyph: ${row}`);
    found.set(String.fromCodePoint(Number(`0x${codePoint}`)), Bitmap.fromRows(Buffer.from(rows, 'hex'), 1));
  }
  return found;
}

const cache = new Map<string, Bitmap>();

/**
 * The picture of one character in its cell. Chinese characters take two columns. A missing glyph is a hollow box, so
 * that it is noticed.
 */
export function glyph(character: string, font: Font): Bitmap {
  const key = font + character;
  const known = cache.get(key);
  if (known) return known;
  const made = make(character, font);
  // The cache is limited to about the characters of a receipt: a stream of all of Unicode must not fill the memory.
  if (cache.size < 2000) cache.set(key, made);
  return made;
}

/** Columns of a character: two for Chinese, Japanese and Korean, in double-byte ROMs as in terminals. */
export function columnsOf(character: string): 1 | 2 {
  return (character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1;
}

function make(character: string, font: Font): Bitmap {
  const { width, height } = cellSize[font];
  const cell = new Bitmap(width * columnsOf(character), height);
  const drawing = drawings.get(character);
  if (!drawing) cell.frame(1, 3, cell.width - 2, height - 7, font === 'A' ? 2 : 1);
  else if (font === 'A') cell.draw(doubled(drawing), 0, 0);
  else cell.draw(drawing, 1, Math.floor((height - drawnRows) / 2));
  return cell;
}

/** Doubles the size and smooths the steps of diagonals from both sides; right angles stay as they are. */
function doubled(small: Bitmap): Bitmap {
  const large = new Bitmap(drawnWidth * 2, drawnRows * 2);
  large.draw(small, 0, 0, 2, 2);
  for (let y = 0; y < drawnRows; y++) {
    for (let x = 0; x < drawnWidth; x++) {
      for (const dx of [-1, 1]) {
        for (const dy of [-1, 1]) {
          const step = small.ink(x + dx, y) && small.ink(x, y + dy) && !small.ink(x + dx, y + dy);
          const open = !small.ink(x - dx, y) && !small.ink(x, y - dy);
          if (step && open) large.fill(2 * x + (dx > 0 ? 1 : 0), 2 * y + (dy > 0 ? 1 : 0), 1, 1);
        }
      }
    }
  }
  return large;
}
