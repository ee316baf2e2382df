import { TextDecoder } from 'node:util';
/** The upper half of IBM code page 437, 80 to FF. */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅ' +
  'ÉæÆôöòûùÿÖÜ¢£¥₧ƒ' +
  'áíóúñÑªº¿⌐¬½¼¡«»' +
  '░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧' +
  '╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩' +
  '≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

export type CodePage = 'cp437' | 'windows-1252';

/** Code pages of ESC t, with the numbers of common ESC/POS printers (recalled, differs per model). */
export const codePages: ReadonlyMap<number, CodePage> = new Map([
  [0, 'cp437'],
  [16, 'windows-1252'],
]);

/** The character of one byte from 20 up. U+FFFD for a page that this printer does not have, never a wrong letter. */
export function characterOf(byte: number, page: CodePage | undefined): string {
  if (byte < 0x80) return String.fromCharCode(byte);
  switch (page) {
    case 'cp437':
      return cp437[byte - 0x80] ?? '\ufffd';
    case 'windows-1252':
      return new TextDecoder('windows-1252').decode(Uint8Array.of(byte));
    case undefined:
      return '\ufffd';
    default:
      return page satisfies never;
  }
}
