import type { Bitmap } from './bitmap.ts';
import { cellSize, columnsOf, type Font } from './glyphs.ts';

/** 72 mm at 203 dpi: 48 columns of font A. */
export const paperWidthDots = 576;

export type Align = 'left' | 'center' | 'right';

export interface Style {
  readonly font: Font;
  readonly bold: boolean;
  readonly underline: boolean;
  readonly inverted: boolean;
  readonly widthScale: number;
  readonly heightScale: number;
}

export interface Printed {
  readonly character: string;
  readonly style: Style;
}

/** The printed items in order. */
export type PaperItem =
  | {
      readonly kind: 'line';
      readonly align: Align;
      readonly characters: readonly Printed[];
      readonly heightDots: number;
    }
  | { readonly kind: 'feed'; readonly heightDots: number }
  | { readonly kind: 'image'; readonly align: Align; readonly image: Bitmap }
  | { readonly kind: 'qr'; readonly align: Align; readonly text: string; readonly sizeDots: number }
  | { readonly kind: 'cut'; readonly partial: boolean };

/** Limits the memory of a long soak: beyond 6 m and this many items, the oldest paper is dropped. */
const itemsMax = 4000;
const heightMaxDots = 50_000;

export const cutHeightDots = 32;

export function heightDots(item: PaperItem): number {
  switch (item.kind) {
    case 'line':
    case 'feed':
      return item.heightDots;
    case 'image':
      return item.image.height;
    case 'qr':
      return item.sizeDots;
    case 'cut':
      return cutHeightDots;
    default:
      return item satisfies never;
  }
}

export function widthDots(printed: Printed): number {
  return cellSize[printed.style.font].width * columnsOf(printed.character) * printed.style.widthScale;
}

export function leftOf(align: Align, width: number): number {
  const spare = Math.max(paperWidthDots - width, 0);
  switch (align) {
    case 'left':
      return 0;
    case 'center':
      return Math.floor(spare / 2);
    case 'right':
      return spare;
    default:
      return align satisfies never;
  }
}

/** The printed paper. */
export class Paper {
  #items: PaperItem[] = [];
  #heightDots = 0;

  get items(): readonly PaperItem[] {
    return this.#items;
  }

  add(item: PaperItem): void {
    this.#items.push(item);
    this.#heightDots += heightDots(item);
    while (this.#items.length > 1 && (this.#items.length > itemsMax || this.#heightDots > heightMaxDots)) {
      const torn = this.#items.shift();
      if (torn) this.#heightDots -= heightDots(torn);
    }
  }

  clear(): void {
    this.#items = [];
    this.#heightDots = 0;
  }

  /** The paper as text: one line per printed line, placed by its alignment, '[cut]' at a cut. */
  text(): string {
    return this.#items.map((item) => `${itemText(item)}\n`).join('');
  }
}

function itemText(item: PaperItem): string {
  switch (item.kind) {
    case 'line': {
      const width = item.characters.reduce((sum, printed) => sum + widthDots(printed), 0);
      return placed(item.characters.map(({ character }) => character).join(''), item.align, width);
    }
    case 'feed':
      return '';
    case 'image':
      return placed(`[image ${item.image.width}x${item.image.height}]`, item.align, item.image.width);
    case 'qr':
      return placed(`[QR ${item.text}]`, item.align, item.sizeDots);
    case 'cut':
      return item.partial ? '[partial cut]' : '[cut]';
    default:
      return item satisfies never;
  }
}

function placed(text: string, align: Align, width: number): string {
  return (' '.repeat(Math.floor(leftOf(align, width) / cellSize.A.width)) + text).trimEnd();
}
