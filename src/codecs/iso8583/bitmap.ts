import { Iso8583Error } from './iso8583-error.ts';
import type { MessageReader } from './reader.ts';
import type { MessageWriter } from './writer.ts';

const bytesEach = 8;
const fieldsEach = 64;

/** Bit 1 announces a second bitmap of fields 65 to 128 right after the first: ISO 8583:1987, 4.3. */
const secondaryMark = 0x80;

/** Leaves room for the bitmap, or for both where `last`, the greatest field number, needs the second. Returns its place. */
export function reserveBitmap(writer: MessageWriter, last: number): number {
  const start = writer.offset;
  const hasSecondary = last > fieldsEach;
  writer.offset = start + (hasSecondary ? 2 * bytesEach : bytesEach);
  if (hasSecondary) writer.bytes[start] = secondaryMark;
  return start;
}

/** Marks a field, 2 to 128, as present in the bitmap at `start`. */
export function markField(writer: MessageWriter, start: number, field: number): void {
  const bit = field - 1;
  const at = start + (bit >> 3);
  writer.bytes[at] = (writer.bytes[at] ?? 0) | (0x80 >> (bit & 7));
}

/**
 * Where the fields begin behind the bitmap that `reader` is at. An empty second bitmap is accepted, because some hosts
 * always send one. Throws Iso8583Error 'truncated'.
 */
export function bitmapEnd({ bytes, offset }: MessageReader): number {
  const hasSecondary = ((bytes[offset] ?? 0) & secondaryMark) !== 0;
  const end = offset + (hasSecondary ? 2 * bytesEach : bytesEach);
  if (end > bytes.length) throw new Iso8583Error('truncated', { field: 1, offset });
  return end;
}

/** The next field of the bitmap at `start` behind `field`; 0 where there is none. */
export function nextField(
  bytes: Uint8Array,
  bitmap: { readonly start: number; readonly end: number },
  field: number,
): number {
  const bits = (bitmap.end - bitmap.start) * 8;
  for (let bit = field; bit < bits; ) {
    const left = (bytes[bitmap.start + (bit >> 3)] ?? 0) & (0xff >> (bit & 7));
    if (left !== 0) return (bit & ~7) + Math.clz32(left) - 24 + 1;
    bit = (bit | 7) + 1;
  }
  return 0;
}
