import { setImmediate } from 'node:timers/promises';
import { Dots } from './dots.ts';
import type { ReceiptLine } from './line.ts';
import { cellWidth, lineDots, pictureGap, pitchOf } from './line-dots.ts';
import { shopLogo } from './logo.ts';
import { png } from './png.ts';
import { unifont } from './unifont.ts';

/** Space above the first and below the last line, in dots. */
const marginHeight = 24;

export interface PictureOptions {
  /** Path or data: URL of a PNG, centred at the top; empty for none. */
  readonly logo?: string;
  /** Gets the reason if the logo is missing. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The receipt as a PNG picture with the paper's width in dots: 576 for 48 columns. All text has one font. Rejects if
 * the font can't be loaded, or if the lines are too long for the width.
 */
export async function receiptPng(
  lines: readonly ReceiptLine[],
  columns: number,
  { logo: logoSource = '', onFailure }: PictureOptions = {},
): Promise<Uint8Array> {
  const font = await unifont();
  const logo = await shopLogo(logoSource, columns * cellWidth, onFailure);
  const logoHeight = logo ? logo.height + pictureGap : 0;
  const height = lines.reduce((sum, line) => sum + pitchOf(line), 2 * marginHeight + logoHeight);
  const paper = new Dots(columns * cellWidth, height);
  let top = marginHeight;
  if (logo) {
    paper.draw(logo, Math.floor((paper.width - logo.width) / 2), top);
    top += logoHeight;
  }
  for (const line of lines) {
    // Yields after each line, because the event loop also serves the card reader.
    await setImmediate();
    paper.draw(lineDots(line, columns, font), 0, top);
    top += pitchOf(line);
  }
  return png(paper);
}
