import { setImmediate } from 'node:timers/promises';
import { Dots } from './dots.ts';
import type { ReceiptLine } from './line.ts';
import { cellWidth, lineDots, pitchOf } from './line-dots.ts';
import { logoGap, shopLogo } from './logo.ts';
import { png } from './png.ts';
import { unifont } from './unifont.ts';

/** Paper above the first and below the last line. */
const marginHeight = 24;

export interface PictureOptions {
  /** At the top, in the middle: the path or data: URL of a PNG; empty: none. */
  readonly logo?: string;
  /** Told why the logo is missing. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The receipt as a PNG picture, dot for dot as wide as the paper: 576 dots for 48 columns. All text is drawn in one font.
 * Rejects where the font can't be loaded, and for lines laid out for wider paper.
 */
export async function receiptPng(
  lines: readonly ReceiptLine[],
  columns: number,
  { logo: logoSource = '', onFailure }: PictureOptions = {},
): Promise<Uint8Array> {
  const font = await unifont();
  const logo = await shopLogo(logoSource, columns * cellWidth, onFailure);
  const logoHeight = logo ? logo.height + logoGap : 0;
  const height = lines.reduce((sum, line) => sum + pitchOf(line), 2 * marginHeight + logoHeight);
  const paper = new Dots(columns * cellWidth, height);
  let top = marginHeight;
  if (logo) {
    paper.draw(logo, Math.floor((paper.width - logo.width) / 2), top);
    top += logoHeight;
  }
  for (const line of lines) {
    // The loop serves the reader too: a line is the most that it waits for.
    await setImmediate();
    paper.draw(lineDots(line, columns, font), 0, top);
    top += pitchOf(line);
  }
  return png(paper);
}
