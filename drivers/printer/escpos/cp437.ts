import { cellsOf, graphemes } from '../../../src/receipt/cells.ts';

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
export function faithfully(grapheme: string): string | undefined {
  if (/^[\x20-\x7e]$/.test(grapheme) || characters.has(grapheme)) return grapheme;
  return plainForms.get(grapheme);
}

/** The bytes of a text that is in code page 437 already. Throws RangeError for one that is not. */
export function codePage437Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const at = upperHalf.indexOf(character);
    if (at >= 0) return 0x80 + at;
    if (!/^[\x20-\x7e]$/.test(character)) throw new RangeError('a character that code page 437 does not have');
    return character.charCodeAt(0);
  });
}
