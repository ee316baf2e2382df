import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Dots } from './dots.ts';
import { outlineDots } from './outline.ts';
import { unpackWoff } from './woff.ts';

/** GNU Unifont is drawn on a grid of 16 dots: 8 wide for a Latin character, 16 for a Chinese one. */
const grid = 16;
/** Rows above the baseline; the other two are for descenders. */
const ascent = 14;

/** No text of a receipt has more; the oldest is drawn again. */
const glyphsMax = 2000;

/** Variation selectors, joiners: they have no ink of their own. */
const invisible = /(?<!^)\p{Default_Ignorable_Code_Point}/gu;

export interface Unifont {
  /** A grapheme of `cells` cells, 8 or 16 dots wide and 16 high; nothing for one that no font here has. */
  glyph(grapheme: string, cells: 1 | 2): Dots | undefined;
}

let loading: Promise<Unifont> | undefined;

/**
 * The font, loaded once: a terminal that prints only code page 437 never pays for it. Rejects where the font file is missing; the
 * next call tries again.
 */
export function unifont(): Promise<Unifont> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Unifont> {
  const { create } = await import('fontkitten');
  const path = fileURLToPath(import.meta.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff'));
  const opened = create(await unpackWoff(await readFile(path)));
  if (opened.isCollection) throw new Error(`${path} is not one font`);
  const font = opened;
  const unit = font.unitsPerEm / grid;
  const known = new Map<string, Dots | undefined>();

  function glyph(grapheme: string, cells: 1 | 2): Dots | undefined {
    const points = Array.from(grapheme.replace(invisible, ''), (character) => character.codePointAt(0) ?? 0);
    // One character of a cluster that is missing makes a mark of the whole: half a character would be another one.
    if (!points.every((point) => font.hasGlyphForCodePoint(point))) return undefined;
    const cell = new Dots(cells * (grid / 2), grid);
    // The marks of a cluster stand over its first character, on the same grid.
    for (const point of points) {
      const outline = font.glyphForCodePoint(point).path.commands;
      cell.draw(outlineDots(outline, { width: grid, height: grid, unit, ascent }), 0, 0);
    }
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
