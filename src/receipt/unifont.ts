import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Dots } from './dots.ts';
import { outlineDots } from './outline.ts';
import { unpackWoff } from './woff.ts';

/** GNU Unifont is drawn on a grid of 16 dots: 8 wide for a Latin character, 16 for a Chinese one. */
const grid = 16;
/** Rows above the baseline; the other two rows are for descenders. */
const ascent = 14;

/** More glyphs than any receipt has. Beyond that, the oldest is dropped and drawn again. */
const glyphsMax = 2000;

/** Variation selectors and joiners, which have no ink. */
const invisible = /(?<!^)\p{Default_Ignorable_Code_Point}/gu;

export interface Unifont {
  /** A grapheme of `cells` cells, 8 or 16 dots wide and 16 high; undefined if the font lacks it. */
  glyph(grapheme: string, cells: 1 | 2): Dots | undefined;
}

let loading: Promise<Unifont> | undefined;

/**
 * The font, loaded with the first use: a terminal that prints only code page 437 never loads it. Rejects if the font
 * file is missing; the next call tries again.
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
    // If one character of a cluster is missing, the whole cluster is: part of it would be another character.
    if (!points.every((point) => font.hasGlyphForCodePoint(point))) return undefined;
    const cell = new Dots(cells * (grid / 2), grid);
    // Marks of a cluster are drawn over its first character, on the same grid.
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
