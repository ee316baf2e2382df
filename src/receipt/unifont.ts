import { fileURLToPath } from 'node:url';
import { Dots } from './dots.ts';

/** GNU Unifont is drawn on a grid of 16 dots: 8 wide for a Latin character, 16 for a Chinese one. */
const grid = 16;
/** Rows above the baseline; the other two are for descenders. */
const ascent = 14;
const family = 'poid receipt';

/** No text of a receipt has more; the oldest is drawn again. */
const glyphsMax = 2000;

export interface Unifont {
  /** A grapheme of `cells` cells, 8 or 16 dots wide and 16 high; nothing for one that no font here has. */
  glyph(grapheme: string, cells: 1 | 2): Dots | undefined;
}

let loading: Promise<Unifont> | undefined;

/**
 * The font, loaded once: a terminal that prints only code page 437 never pays for it. Rejects where the canvas has no
 * build for this machine, or the font file is missing; the next call tries again.
 */
export function unifont(): Promise<Unifont> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Unifont> {
  const { createCanvas, GlobalFonts } = await import('@napi-rs/canvas');
  // woff, not woff2: ready in less than half the time (0.2 s instead of 0.45 s where it was measured).
  const path = fileURLToPath(import.meta.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff'));
  if (GlobalFonts.registerFromPath(path, family) === null) throw new Error(`no font can be read from ${path}`);
  const context = createCanvas(grid, grid).getContext('2d');
  context.font = `${grid}px "${family}"`;

  function drawn(text: string): Dots {
    context.clearRect(0, 0, grid, grid);
    context.fillText(text, 0, ascent);
    const { data } = context.getImageData(0, 0, grid, grid);
    const dots = new Dots(grid, grid);
    for (let at = 0; at < grid * grid; at++) {
      if ((data[at * 4 + 3] ?? 0) >= 0x80) dots.fill(at % grid, Math.floor(at / grid));
    }
    return dots;
  }

  // U+FFFF is no character and never will be: what it looks like is what every missing one looks like.
  const missing = drawn('\uffff');
  const isMissing = (text: string): boolean => Buffer.compare(drawn(text).rows, missing.rows) === 0;
  const known = new Map<string, Dots | undefined>();

  function glyph(grapheme: string, cells: 1 | 2): Dots | undefined {
    // One character of a cluster that is missing makes a mark of the whole: half a character would be another one.
    if (Array.from(grapheme).some(isMissing)) return undefined;
    const cell = new Dots(cells * (grid / 2), grid);
    cell.draw(drawn(grapheme), 0, 0);
    return cell;
  }

  return {
    glyph(grapheme, cells) {
      const key = `${cells}${grapheme}`;
      if (!known.has(key)) {
        const [oldest] = known.size >= glyphsMax ? known.keys() : [];
        if (oldest !== undefined) known.delete(oldest);
        known.set(key, glyph(grapheme, cells));
      }
      return known.get(key);
    },
  };
}
