import { cellsOf, graphemes, cellsPerLine, type ReceiptLine, padText } from './line.ts';
import { Dots } from './dots.ts';
import type { Unifont } from './unifont.ts';

/** Font A: 12 × 24 dots. */
export const cellWidth = 12;
const cellHeight = 24;

/**
 * Dots below a line. A normal line then has the 30 dots (1/6 inch at 180 dpi) that are a printer's default (recalled).
 */
const gap = 6;

/** Dots below a picture or a QR code. */
export const pictureGap = 12;

/** Dots from the top of one line to the top of the next. */
export function pitchOf(line: ReceiptLine): number {
  if (line.kind === 'picture') return line.dots.height + pictureGap;
  return (line.kind !== 'rule' && line.size === 'double' ? cellHeight * 2 : cellHeight) + gap;
}

/**
 * One line as a printer of `columns` cells would print it: as wide as the paper, as high as its pitch. A character
 * without a glyph is drawn as a hollow box.
 */
export function lineDots(line: ReceiptLine, columns: number, font: Unifont): Dots {
  if (line.kind === 'picture') return pictureDots(line.dots, columns);
  const dots = new Dots(columns * cellWidth, pitchOf(line));
  if (line.kind === 'rule') {
    dots.fill(0, cellHeight / 2 - 1, dots.width, 2);
    return dots;
  }
  const scale = line.size === 'double' ? 2 : 1;
  let left = 0;
  for (const grapheme of graphemes(padText(line, cellsPerLine(line.size, columns)))) {
    const cells = cellsOf(grapheme);
    const width = cells * cellWidth * scale;
    if (grapheme !== ' ') {
      const glyph = font.glyph(grapheme, cells);
      const cell = glyph ? enlarge(glyph, scale) : hollowBox(width, cellHeight * scale);
      dots.draw(cell, left, 0);
      // Like a printer's emphasized mode: printed twice, slightly displaced. To the left, where most glyphs have room.
      if (line.bold) dots.draw(cell, left - scale, 0);
    }
    left += width;
  }
  return dots;
}

/** A picture in the middle of the paper, with the space below it. */
export function pictureDots(picture: Dots, columns: number): Dots {
  const paper = new Dots(columns * cellWidth, picture.height + pictureGap);
  paper.draw(picture, Math.floor((paper.width - picture.width) / 2), 0);
  return paper;
}

/** Cache of enlarged glyphs. An entry is removed when the font drops its glyph. */
const enlargements = new WeakMap<Dots, Map<number, Dots>>();

function enlarge(glyph: Dots, scale: number): Dots {
  const known = enlargements.get(glyph) ?? new Map<number, Dots>();
  enlargements.set(glyph, known);
  const large = known.get(scale) ?? enlargement(glyph, scale);
  known.set(scale, large);
  return large;
}

/**
 * Enlarges a glyph of 16 rows to 24 (factor 1.5) or 48 rows. A dot that would be one and a half dots wide becomes two:
 * strokes stay even, and a gap of one dot stays open.
 */
function enlargement(glyph: Dots, scale: number): Dots {
  const factor = 1.5 * scale;
  const large = new Dots(glyph.width * factor, glyph.height * factor);
  for (let y = 0; y < glyph.height; y++) {
    for (let x = 0; x < glyph.width; x++) {
      if (!glyph.ink(x, y)) continue;
      const left = Math.floor(x * factor);
      const top = Math.floor(y * factor);
      large.fill(left, top, Math.ceil((x + 1) * factor) - left, Math.ceil((y + 1) * factor) - top);
    }
  }
  return large;
}

function hollowBox(width: number, height: number): Dots {
  const box = new Dots(width, height);
  const [left, top, right, bottom] = [2, 4, width - 3, height - 5];
  box.fill(left, top, right - left, 2);
  box.fill(left, bottom - 2, right - left, 2);
  box.fill(left, top, 2, bottom - top);
  box.fill(right - 2, top, 2, bottom - top);
  return box;
}
