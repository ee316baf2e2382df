/**
 * EBCDIC, code page 1047: the bytes of the characters 20 to 7E in the order of ASCII. Source: IBM, CDRA, code page
 * 1047. Code page 37 differs in six characters.
 */
const ebcdic1047 =
  '405A7F7B5B6C507D4D5D5C4E6B604B61F0F1F2F3F4F5F6F7F8F97A5E4C7E6E6F7CC1C2C3C4C5C6C7C8C9D1D2D3D4D5D6D7D8D9E2E3E4E5E6E7E8E9ADE0BD5F6D79818283848586878889919293949596979899A2A3A4A5A6A7A8A9C04FD0A1';
const elsewhere37: Readonly<Record<string, number>> = { '^': 0xb0, '[': 0xba, ']': 0xbb };

export type Page = 'ascii' | 'ebcdic' | 'ebcdic37';

function byteOf(character: string, page: Page): number | undefined {
  const code = character.charCodeAt(0);
  if (page === 'ascii') return code <= 0xff ? code : undefined;
  const own = page === 'ebcdic37' ? elsewhere37[character] : undefined;
  if (own !== undefined) return own;
  if (code < 0x20 || code > 0x7e) return undefined;
  return Number.parseInt(ebcdic1047.slice(2 * (code - 0x20), 2 * (code - 0x20) + 2), 16);
}

/** Undefined for a character that is not in the code page. */
export function toPage(text: string, page: Page): Buffer | undefined {
  const bytes = Array.from(text, (each) => byteOf(each, page));
  return bytes.includes(undefined) ? undefined : Buffer.from(bytes as number[]);
}

/** A byte without a printable character becomes a question mark. */
export function fromPage(bytes: Buffer, page: Page): string {
  const printable = Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at));
  const characters = new Map(printable.map((each) => [byteOf(each, page), each]));
  return Array.from(bytes, (byte) => characters.get(byte) ?? '?').join('');
}
