import { type CodePage, hexText } from './characters.ts';
import { type Encoding, type MessageReader, type MessageWriter } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';

/** The length of one bitmap. */
const bytesEach = 8;

/** Bit 1 announces a second bitmap of fields 65 to 128 right after the first: ISO 8583:1987, 4.3. */
const secondaryMark = 0x80;

/** The encoding of bitmaps in a message. */
export interface BitmapEncoding {
  /** Reserves space for one bitmap or for two. Returns its place. */
  begin(writer: MessageWriter, isWide: boolean): number;
  /** Marks a field, 2 to 128, as present in the bitmap at `place`. */
  mark(writer: MessageWriter, place: number, field: number): void;
  /**
   * Reads the bitmap at the position of `reader`, and advances it. An empty second bitmap is accepted, because some
   * hosts always send one. Throws Iso8583Error.
   */
  read(reader: MessageReader): Uint8Array;
}

class BinaryBitmap implements BitmapEncoding {
  begin(writer: MessageWriter, isWide: boolean): number {
    const place = writer.offset;
    writer.offset = place + (isWide ? 2 * bytesEach : bytesEach);
    if (isWide) writer.bytes[place] = secondaryMark;
    return place;
  }

  mark({ bytes }: MessageWriter, place: number, field: number): void {
    const bit = field - 1;
    const at = place + (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (bit & 7));
  }

  read(reader: MessageReader): Uint8Array {
    const { bytes, offset } = reader;
    const hasSecondary = ((bytes[offset] ?? 0) & secondaryMark) !== 0;
    const end = offset + (hasSecondary ? 2 * bytesEach : bytesEach);
    if (end > bytes.length) throw new Iso8583Error('truncated', { field: 1, offset });
    reader.offset = end;
    return bytes.subarray(offset, end);
  }
}

/** Each bitmap as sixteen hexadecimal characters. */
class HexBitmap implements BitmapEncoding {
  readonly #encoding: Encoding<Uint8Array>;
  readonly #digits: readonly number[];

  constructor(page: CodePage | 'ascii') {
    this.#encoding = hexText(page);
    this.#digits = Array.from({ length: 16 }, (_, nibble) => this.#byteOf(nibble));
  }

  begin(writer: MessageWriter, isWide: boolean): number {
    const place = writer.offset;
    const end = place + this.#encoding.byteLength(isWide ? 2 * bytesEach : bytesEach);
    writer.bytes.fill(this.#digits[0] ?? 0, place, end);
    writer.offset = end;
    if (isWide) writer.bytes[place] = this.#digits[8] ?? 0;
    return place;
  }

  mark({ bytes }: MessageWriter, place: number, field: number): void {
    const bit = field - 1;
    const at = place + (bit >> 2);
    const nibble = this.#digits.indexOf(bytes[at] ?? 0) | (8 >> (bit & 3));
    bytes[at] = this.#digits[nibble] ?? 0;
  }

  read(reader: MessageReader): Uint8Array {
    const first = this.#readOne(reader);
    const hasSecondary = ((first[0] ?? 0) & secondaryMark) !== 0;
    return hasSecondary ? Buffer.concat([first, this.#readOne(reader)]) : first;
  }

  #readOne(reader: MessageReader): Uint8Array {
    const { bytes, offset } = reader;
    if (offset + this.#encoding.byteLength(bytesEach) > bytes.length)
      throw new Iso8583Error('truncated', { field: 1, offset });
    return this.#encoding.read(reader, bytesEach, 1);
  }

  #byteOf(nibble: number): number {
    const writer = { bytes: new Uint8Array(2), offset: 0 } as MessageWriter;
    this.#encoding.write(Uint8Array.of(nibble), writer, 1);
    return writer.bytes[1] ?? 0;
  }
}

export const binaryBitmap: BitmapEncoding = new BinaryBitmap();

/** Hexadecimal characters in ASCII or EBCDIC. */
export function hexBitmap(page: CodePage | 'ascii'): BitmapEncoding {
  return new HexBitmap(page);
}

/** The next field of a bitmap after `field`; 0 if there is none. */
export function nextField(bitmap: Uint8Array, field: number): number {
  const bits = bitmap.length * 8;
  for (let bit = field; bit < bits; ) {
    const left = (bitmap[bit >> 3] ?? 0) & (0xff >> (bit & 7));
    if (left !== 0) return (bit & ~7) + Math.clz32(left) - 24 + 1;
    bit = (bit | 7) + 1;
  }
  return 0;
}
