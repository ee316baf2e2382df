import { PNG } from 'pngjs';
import { Bitmap } from './bitmap.ts';
import { cellSize, glyph } from './glyphs.ts';
import {
  cutHeightDots,
  heightDots,
  leftOf,
  type Paper,
  type PaperItem,
  paperWidthDots,
  type Printed,
  widthDots,
} from './paper.ts';

/** Blank paper before the first and after the last line, in dots: the tear bar is above the print head. */
const marginDots = 24;

/** Limit of a picture: only the newest part is drawn (1 m of paper). */
const heightMaxDots = 8000;

/** The paper as a PNG, one dot one pixel, black on white, 576 wide. */
export function paperPng(paper: Paper): Buffer {
  const bitmap = draw(newest(paper.items));
  const png = new PNG({ width: bitmap.width, height: bitmap.height });
  // One byte per dot; no row filters, because they gain nothing for black and white.
  png.data = Buffer.from(bitmap.dots.map((dot) => (dot === 1 ? 0x00 : 0xff)));
  return PNG.sync.write(png, { colorType: 0, inputColorType: 0, inputHasAlpha: false, bitDepth: 8, filterType: 0 });
}

function newest(items: readonly PaperItem[]): readonly PaperItem[] {
  let height = 2 * marginDots;
  let from = items.length;
  while (from > 0) {
    const item = items[from - 1];
    if (item) height += heightDots(item);
    if (height > heightMaxDots) break;
    from--;
  }
  return items.slice(from);
}

function draw(items: readonly PaperItem[]): Bitmap {
  const height = items.reduce((sum, item) => sum + heightDots(item), 2 * marginDots);
  const bitmap = new Bitmap(paperWidthDots, height);
  let top = marginDots;
  for (const item of items) {
    drawItem(bitmap, item, top);
    top += heightDots(item);
  }
  return bitmap;
}

function drawItem(bitmap: Bitmap, item: PaperItem, top: number): void {
  switch (item.kind) {
    case 'line':
      return drawLine(bitmap, item.characters, item.align, top);
    case 'feed':
      return;
    case 'image':
      return bitmap.draw(item.image, leftOf(item.align, item.image.width), top);
    case 'qr':
      return drawCode(bitmap, item.text, leftOf(item.align, item.sizeDots), top, item.sizeDots);
    case 'cut':
      for (let x = 0; x < paperWidthDots; x += 12) bitmap.fill(x, top + cutHeightDots / 2, 6, 1);
      return;
    default:
      item satisfies never;
  }
}

function drawLine(
  bitmap: Bitmap,
  characters: readonly Printed[],
  align: 'left' | 'center' | 'right',
  top: number,
): void {
  // All sizes of one line have one baseline: the bottom of the tallest.
  const foot = top + Math.max(0, ...characters.map(characterHeight));
  let left = leftOf(
    align,
    characters.reduce((sum, printed) => sum + widthDots(printed), 0),
  );
  for (const printed of characters) {
    drawCharacter(bitmap, printed, left, foot - characterHeight(printed));
    left += widthDots(printed);
  }
}

function characterHeight({ style }: Printed): number {
  return cellSize[style.font].height * style.heightScale;
}

function drawCharacter(bitmap: Bitmap, printed: Printed, left: number, top: number): void {
  const { character, style } = printed;
  const picture = glyph(character, style.font);
  bitmap.draw(picture, left, top, style.widthScale, style.heightScale);
  if (style.bold) bitmap.draw(picture, left + 1, top, style.widthScale, style.heightScale);
  if (style.underline) bitmap.fill(left, top + characterHeight(printed) - 2, widthDots(printed), 2);
  if (style.inverted) bitmap.invert(left, top, widthDots(printed), characterHeight(printed));
}

/** Draws a frame with the text of the code: the encoded text matters here, not the modules. */
function drawCode(bitmap: Bitmap, text: string, left: number, top: number, size: number): void {
  bitmap.frame(left, top, size, size, 3);
  const { width, height } = cellSize.B;
  const columns = Math.max(1, Math.floor((size - 12) / width));
  for (const [at, character] of Array.from(`QR ${text}`).entries()) {
    const y = top + 6 + Math.floor(at / columns) * height;
    if (y + height > top + size) break;
    bitmap.draw(glyph(character, 'B'), left + 6 + (at % columns) * width, y);
  }
}
