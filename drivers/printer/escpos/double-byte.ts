import { TextDecoder } from 'node:util';

/** The two-byte character sets of Chinese printers. */
export type ChineseCharset = 'big5' | 'gb18030';

/**
 * Code ranges that printers support. Big5: Big5 itself and its common ETEN extension, without the areas of user
 * characters and HKSCS. GB 18030: the two-byte part, which is GBK. Recalled; a model's ROM may have fewer.
 */
const ranges = {
  big5: { leads: [0xa1, 0xf9], trails: [0x40, 0xfe] },
  gb18030: { leads: [0x81, 0xfe], trails: [0x40, 0xfe] },
} as const;

/** Second codes of 十 and 卅 among the numerals of Big5. Their codes as ideographs, A451 and A4CA, are used instead. */
const secondCodes: ReadonlySet<number> = new Set([0xa2cc, 0xa2ce]);

const tables = new Map<ChineseCharset, ReadonlyMap<string, number>>();

/** The two bytes of a character as one number, lead byte first; undefined for a character that the set lacks. */
export function doubleByte(character: string, charset: ChineseCharset): number | undefined {
  let table = tables.get(charset);
  if (!table) {
    table = invertTable(charset);
    tables.set(charset, table);
  }
  return table.get(character);
}

/** The decoder's own table, inverted: whatever it contains can be encoded and decoded without change. */
function invertTable(charset: ChineseCharset): ReadonlyMap<string, number> {
  const { leads, trails } = ranges[charset];
  const codes: number[] = [];
  const bytes: number[] = [];
  for (let lead = leads[0]; lead <= leads[1]; lead++) {
    for (let trail = trails[0]; trail <= trails[1]; trail++) {
      codes.push(lead * 0x100 + trail);
      // A line feed is never a trail byte: it resets the decoder, whatever the two bytes before it were.
      bytes.push(lead, trail, 0x0a);
    }
  }
  const table = new Map<string, number>();
  const decoded = new TextDecoder(charset).decode(Uint8Array.from(bytes)).split('\n');
  for (const [at, text] of decoded.entries()) {
    const code = codes[at];
    if (code === undefined || (charset === 'big5' && secondCodes.has(code))) continue;
    // If a character has two codes, the first is in use; the second exists for compatibility.
    if (/^[^\0-\x7f\ufffd\p{C}]$/u.test(text) && !table.has(text)) table.set(text, code);
  }
  return table;
}
