import { Iso8583Error, type Place } from './iso8583-error.ts';

const bytesEach = 8;
const fieldsEach = 64;

/** Bit 1 announces a second bitmap of fields 65 to 128 right after the first: ISO 8583:1987, 4.3. */
const secondaryBit = 1;

/** Field numbers, 2 to 128 → 8 bytes, or 16 where one is above 64. */
export function encodeBitmap(fields: readonly number[]): Uint8Array {
  const secondary = fields.some((field) => field > fieldsEach);
  const bytes = new Uint8Array(secondary ? 2 * bytesEach : bytesEach);
  for (const field of secondary ? [secondaryBit, ...fields] : fields) {
    const bit = field - 1;
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  }
  return bytes;
}

/** Field numbers, ascending. An empty second bitmap is accepted, because some hosts always send one. */
export function decodeBitmap(
  bytes: Uint8Array,
  place: Place,
): { readonly fields: readonly number[]; readonly next: number } {
  const start = place.offset;
  const isSet = (field: number) => ((bytes[start + ((field - 1) >> 3)] ?? 0) & (0x80 >> ((field - 1) & 7))) !== 0;
  const next = start + (isSet(secondaryBit) ? 2 * bytesEach : bytesEach);
  if (next > bytes.length) throw new Iso8583Error('truncated', place);
  const fields: number[] = [];
  for (let field = secondaryBit + 1; field <= (next - start) * 8; field++) if (isSet(field)) fields.push(field);
  return { fields, next };
}
