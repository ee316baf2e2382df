import EscPosEncoder from 'esc-pos-encoder';
import {
  cellsOf,
  graphemes,
  cellsPerLine,
  type PairLine,
  type ReceiptLine,
  type TextLine,
  padText,
} from '../../../src/receipt/line.ts';
import type { Dots } from '../../../src/receipt/dots.ts';
import { type ChineseCharset, doubleByte } from './double-byte.ts';
import { cellWidth, lineDots, pictureDots } from '../../../src/receipt/line-dots.ts';
import { shopLogo } from '../../../src/receipt/logo.ts';
import { type Unifont, unifont } from '../../../src/receipt/unifont.ts';

/** DLE, and the bytes that make a real-time command with it: EOT, ENQ, DC4. */
const dle = 0x10;
const realTime: ReadonlySet<number> = new Set([0x04, 0x05, 0x14]);

/** Limits a block's height to one byte, so that the two height bytes can't form a command either. */
const blockRowsMax = 255;

/**
 * A picture as raster images, GS v 0 (m = 0: normal size), from top to bottom; a high picture becomes several. Blank
 * paper to the right of the last ink is not sent. A printer executes DLE EOT, DLE ENQ and DLE DC4 even inside data:
 * where two bytes of the picture would form one of them, one more dot is inked beside another (10 becomes 18).
 */
export function raster(dots: Dots): Uint8Array {
  const widthBytes = inkWidthBytes(dots);
  const blocks: Uint8Array[] = [];
  for (let top = 0; top < dots.height; top += blockRowsMax) {
    const rows = Math.min(blockRowsMax, dots.height - top);
    const data = new Uint8Array(widthBytes * rows);
    for (let y = 0; y < rows; y++) {
      const from = (top + y) * dots.rowBytes;
      data.set(dots.rows.subarray(from, from + widthBytes), y * widthBytes);
    }
    for (let at = data.indexOf(dle); at >= 0; at = data.indexOf(dle, at + 1)) {
      if (realTime.has(data[at + 1] ?? 0)) data[at] = dle | (dle >> 1);
    }
    blocks.push(Uint8Array.of(0x1d, 0x76, 0x30, 0, widthBytes, 0, rows, 0), data);
  }
  return Buffer.concat(blocks);
}

/** Bytes of the widest row; at least one, because a raster image needs a width. */
function inkWidthBytes(dots: Dots): number {
  let widest = 1;
  for (let at = 0; at < dots.rows.length; at++) {
    if (dots.rows[at] !== 0) widest = Math.max(widest, (at % dots.rowBytes) + 1);
  }
  return widest;
}

/**
 * Code page 437 from 80 to FE, the characters that every ESC/POS printer starts with (Unicode Consortium mapping
 * VENDORS/MICSFT/PC/CP437.TXT). Its pictures below 20 are not here: sent as text, they would be control bytes, and
 * "►♦☺" would ask for the printer's status (DLE EOT 1).
 */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■';

const characters: ReadonlySet<string> = new Set(upperHalf);

/** Typographic characters and their plain forms. */
const plainForms: ReadonlyMap<string, string> = new Map([
  ['‘', "'"],
  ['’', "'"],
  ['‚', "'"],
  ['“', '"'],
  ['”', '"'],
  ['„', '"'],
  ['‐', '-'],
  ['‑', '-'],
  ['‒', '-'],
  ['–', '-'],
  ['—', '-'],
  ['−', '-'],
  ['•', '∙'],
]);

/** Fills each cell of a character that the printer does not have: the loss is visible, and columns stay aligned. */
const missingMark = '■';

/**
 * The text in characters of code page 437, with as many cells as before: typographic marks become plain ones, letters
 * lose accents that the code page lacks, full-width Latin becomes narrow, and everything else, Chinese above all,
 * becomes '■'. No silent question marks.
 */
export function inCodePage437(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return graphemes(text)
    .map((grapheme) => {
      const columns = cellsOf(grapheme);
      return standIn(grapheme)?.padEnd(columns) ?? missingMark.repeat(columns);
    })
    .join('');
}

function standIn(grapheme: string): string | undefined {
  return faithfully(grapheme) ?? /^([\x20-\x7e])\p{M}*$/u.exec(grapheme.normalize('NFKD'))?.[1];
}

/**
 * A grapheme in code page 437 without loss of accent or width; only typography may change. Undefined if impossible.
 */
function faithfully(grapheme: string): string | undefined {
  if (/^[\x20-\x7e]$/.test(grapheme) || characters.has(grapheme)) return grapheme;
  return plainForms.get(grapheme);
}

/** The bytes of a text that is in code page 437 already. Throws RangeError for one that is not. */
function codePage437Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const at = upperHalf.indexOf(character);
    if (at >= 0) return 0x80 + at;
    if (!/^[\x20-\x7e]$/.test(character)) throw new RangeError('a character that code page 437 does not have');
    return character.charCodeAt(0);
  });
}

/**
 * Distance from the print head to the cutter: 4 lines of 1/6 inch on common 80 mm printers. Unverified on hardware.
 */
const linesToCutter = 4;

/** ESC t 0. */
const selectCodePage437 = Uint8Array.of(0x1b, 0x74, 0);
/** FS & begins the mode in which two bytes are one Chinese character; FS . ends it. */
const chineseMode = Uint8Array.of(0x1c, 0x26);
const leaveChineseMode = Uint8Array.of(0x1c, 0x2e);

/** Dots of one line in the usual spacing, 1/6 inch at 180 dpi (recalled). */
const dotsPerLine = 30;

/** The commands that print a receipt. */
export interface PrinterJob {
  readonly bytes: Uint8Array;
  /** Paper feed in lines of 1/6 inch: it determines how long the mechanics need. */
  readonly paperLines: number;
}

export interface JobOptions {
  /**
   * How to print characters that code page 437 lacks, mostly Chinese. bitmap: the whole line is drawn, which works on
   * every printer. big5, gb18030: with the printer's own characters, if its ROM has them; the rest is drawn.
   */
  readonly charset?: 'bitmap' | ChineseCharset;
  /** Printed centred at the top: path or data: URL of a PNG. Empty: no logo. */
  readonly logo?: string;
  /**
   * Called with the reason if the logo is missing, or '■' replaces characters. The receipt is printed all the same.
   */
  readonly onFailure?: (error: unknown) => void;
  /** Loads the font of drawn lines: GNU Unifont. */
  readonly font?: () => Promise<Unifont>;
}

/** A rendered line: the bytes between style and line feed, or a picture. */
type Rendered = { readonly kind: 'text'; readonly bytes: Uint8Array } | { readonly kind: 'drawn'; readonly dots: Dots };

/** The sheets of one receipt, with a cut after each. Rejects as `receiptJob` does. */
export async function sheetsJob(
  sheets: readonly (readonly ReceiptLine[])[],
  columns: number,
  options: JobOptions = {},
): Promise<PrinterJob> {
  const jobs = await Promise.all(sheets.map((lines) => receiptJob(lines, columns, options)));
  return {
    bytes: Buffer.concat(jobs.map(({ bytes }) => bytes)),
    paperLines: jobs.reduce((sum, { paperLines }) => sum + paperLines, 0),
  };
}

/**
 * One sheet as one job of ESC/POS commands, from initialize (ESC @) to the cut (GS V 1), for a printer of `columns`
 * cells in font A. No character is lost silently: one that can't be printed becomes a hollow box, or '■' if the font
 * could not be loaded. The job contains no real-time command, which a printer would execute even inside data. Rejects
 * only for lines laid out for wider paper.
 */
export async function receiptJob(
  lines: readonly ReceiptLine[],
  columns: number,
  { charset = 'bitmap', logo: logoSource = '', onFailure, font: load = unifont }: JobOptions = {},
): Promise<PrinterJob> {
  const encodings = lines.map((line) => lineBytes(line, columns, charset));
  const font = encodings.includes(undefined) ? await loadFont(load, onFailure) : undefined;
  const logo = await shopLogo(logoSource, columns * cellWidth, onFailure);
  const rendered = lines.map((line, at): Rendered => {
    const bytes = encodings[at];
    if (line.kind === 'picture') return { kind: 'drawn', dots: pictureDots(line.dots, columns) };
    if (bytes) return { kind: 'text', bytes };
    return font ? { kind: 'drawn', dots: lineDots(line, columns, font) } : encodeMarked(line, columns);
  });
  const picture = logo && pictureDots(logo, columns);
  return { bytes: encodeLines(lines, columns, rendered, picture), paperLines: paperLines(lines, rendered, picture) };
}

function encodeLines(
  lines: readonly ReceiptLine[],
  columns: number,
  rendered: readonly Rendered[],
  logo: Dots | undefined,
): Uint8Array {
  const encoder = new EscPosEncoder({ columns, newline: '\n', feedBeforeCut: linesToCutter });
  // The encoder gets text as bytes. Its own conversion to code page 437 clones the code page for every line: that took
  // 5 ms per receipt, longer than a reader may wait.
  encoder.initialize().raw(selectCodePage437);
  if (logo) encoder.raw(raster(logo));
  for (const [at, line] of lines.entries()) {
    const printed = rendered[at];
    if (printed?.kind === 'drawn') encoder.raw(raster(printed.dots));
    if (printed?.kind !== 'text') continue;
    const scale = scaleOf(line);
    encoder.bold(isText(line) && line.bold).size(scale, scale);
    if (printed.bytes.length > 0) encoder.raw(printed.bytes);
    encoder.newline().size(1, 1).bold(false);
  }
  return encoder.cut('partial').encode();
}

/** Includes the feed to the cutter. */
function paperLines(lines: readonly ReceiptLine[], rendered: readonly Rendered[], logo: Dots | undefined): number {
  const dots = rendered.map((each, at) => {
    if (each.kind === 'drawn') return each.dots.height;
    const line = lines[at];
    return line ? scaleOf(line) * dotsPerLine : 0;
  });
  const sum = dots.reduce((height, each) => height + each, logo?.height ?? 0);
  return Math.ceil(sum / dotsPerLine) + linesToCutter;
}

function isText(line: ReceiptLine): line is TextLine | PairLine {
  return line.kind === 'text' || line.kind === 'pair';
}

/** Scale relative to font A. */
function scaleOf(line: ReceiptLine): 1 | 2 {
  return isText(line) && line.size === 'double' ? 2 : 1;
}

async function loadFont(
  load: () => Promise<Unifont>,
  onFailure?: (error: unknown) => void,
): Promise<Unifont | undefined> {
  try {
    return await load();
  } catch (error) {
    onFailure?.(error);
    return undefined;
  }
}

function encodeMarked(line: ReceiptLine, columns: number): Rendered {
  return { kind: 'text', bytes: codePage437Bytes(inCodePage437(padLine(line, columns))) };
}

function padLine(line: ReceiptLine, columns: number): string {
  return padText(line, isText(line) ? cellsPerLine(line.size, columns) : columns);
}

/** A line in the printer's own characters; undefined if it lacks one of them. */
function lineBytes(line: ReceiptLine, columns: number, charset: 'bitmap' | ChineseCharset): Uint8Array | undefined {
  const text = padLine(line, columns);
  if (/^[\x20-\x7e]*$/.test(text)) return codePage437Bytes(text);
  const pieces: Uint8Array[] = [];
  let isChinese = false;
  for (const grapheme of graphemes(text)) {
    const latin = faithfully(grapheme);
    // Only graphemes of two cells: a printer's Chinese form of a narrow character would shift the rest of the line.
    const code =
      latin === undefined && charset !== 'bitmap' && cellsOf(grapheme) === 2
        ? doubleByte(grapheme, charset)
        : undefined;
    if (latin === undefined && code === undefined) return undefined;
    // In Chinese mode a byte of the upper half of code page 437 would count as the first of two bytes.
    if (isChinese !== (code !== undefined)) pieces.push(isChinese ? leaveChineseMode : chineseMode);
    isChinese = code !== undefined;
    pieces.push(code === undefined ? codePage437Bytes(latin ?? '') : Uint8Array.of(code >> 8, code & 0xff));
  }
  if (isChinese) pieces.push(leaveChineseMode);
  return Buffer.concat(pieces);
}
