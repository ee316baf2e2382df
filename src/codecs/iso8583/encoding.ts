import { Iso8583Error } from './iso8583-error.ts';

/** More than any frame takes. */
const bytesMax = 16_384;

/** A message that is being written. One buffer serves all messages, and keeps nothing of them: they have card data. */
export class MessageWriter {
  readonly bytes = new Uint8Array(bytesMax);
  /** The first byte that is not yet written. */
  offset = 0;

  /** Throws Iso8583Error 'too-long' where `count` more bytes have no room. */
  demandRoom(count: number, field: number): void {
    if (this.offset + count > bytesMax) throw new Iso8583Error('too-long', { field, offset: 0 });
  }

  /** A copy of what is written. */
  written(): Uint8Array {
    return this.bytes.slice(0, this.offset);
  }

  /** Forgets what is written. */
  wipe(): void {
    this.bytes.fill(0, 0, this.offset);
    this.offset = 0;
  }
}

/**
 * From this many characters on, V8's substring is a view that keeps its whole parent: here a message with card data.
 */
const viewedFrom = 13;

/** Buffer's own slices, which take any bytes: without a Buffer for each message, and without the checks of toString. */
type Slice = (this: Uint8Array, start: number, end: number) => string;
const { hexSlice, latin1Slice } = Buffer.prototype as unknown as Readonly<Record<'hexSlice' | 'latin1Slice', Slice>>;

/** A message that is being read, and how far. It is turned into text once, not field by field. */
export class MessageReader {
  readonly bytes: Uint8Array;
  /** The first byte that is not yet read. */
  offset = 0;
  readonly #hex: string;
  readonly #latin1: string;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#hex = hexSlice.call(bytes, 0, bytes.length);
    this.#latin1 = latin1Slice.call(bytes, 0, bytes.length);
  }

  /** Nibbles as lower-case hex digits; `start` and `end` count nibbles from the start of the message. */
  nibbles(start: number, end: number): string {
    if (end - start < viewedFrom) return this.#hex.substring(start, end);
    const whole = hexSlice.call(this.bytes, start >> 1, (end + 1) >> 1);
    return whole.substring(start & 1, (start & 1) + end - start);
  }

  /** Bytes as characters. latin1, because Node's 'ascii' clears the top bit and reads 0xB0 as '0'. */
  characters(start: number, end: number): string {
    if (end - start < viewedFrom) return this.#latin1.substring(start, end);
    return latin1Slice.call(this.bytes, start, end);
  }
}

/** The filler nibble of a byte that an odd number of digits leaves half empty, and its side. */
export interface Padding {
  readonly side: 'left' | 'right';
  readonly nibble: '0' | 'F';
}

export const leftZero: Padding = { side: 'left', nibble: '0' };
export const rightZero: Padding = { side: 'right', nibble: '0' };
export const leftF: Padding = { side: 'left', nibble: 'F' };
export const rightF: Padding = { side: 'right', nibble: 'F' };

/** What each digit is called in text; `written` are other characters for it. */
interface Alphabet {
  readonly digits: string;
  readonly written?: Readonly<Record<string, string>>;
}

/** Two decimal digits to a byte. */
export function bcd(padding: Padding): Encoding<string> {
  return new PackedDigits({ digits: '0123456789' }, padding);
}

/**
 * Track 2 by ISO/IEC 7813, two characters to a byte: digits and the separator, which is 'D' in a nibble. Reading
 * returns 'D'; writing also accepts '='.
 */
export function track2(padding: Padding): Encoding<string> {
  return new PackedDigits({ digits: '0123456789D', written: { '=': 'D' } }, padding);
}

/** Every nibble as it stands, in upper-case hexadecimal: for digits that a sender may fill with something else. */
export function nibbles(padding: Padding): Encoding<string> {
  return new PackedDigits({ digits: '0123456789ABCDEF' }, padding);
}

const absent = 0xff;
/** Which nibbles of a byte are of the alphabet. */
const [low, high] = [1, 2] as const;
const both = low | high;

class PackedDigits implements Encoding<string> {
  readonly #side: Padding['side'];
  readonly #filler: number;
  /** Character code → nibble. */
  readonly #nibbles = new Uint8Array(256).fill(absent);
  /** Byte → which of its nibbles may be read. */
  readonly #readable: Uint8Array;
  readonly #hasLetters: boolean;

  constructor({ digits, written = {} }: Alphabet, padding: Padding) {
    this.#side = padding.side;
    this.#filler = Number.parseInt(padding.nibble, 16);
    const nibbles = new Set<number>();
    for (const digit of digits) {
      const nibble = Number.parseInt(digit, 16);
      nibbles.add(nibble);
      this.#nibbles[digit.charCodeAt(0)] = nibble;
    }
    for (const [character, digit] of Object.entries(written)) {
      this.#nibbles[character.charCodeAt(0)] = Number.parseInt(digit, 16);
    }
    this.#readable = Uint8Array.from(
      { length: 256 },
      (_, byte) => (nibbles.has(byte >> 4) ? high : 0) | (nibbles.has(byte & 0xf) ? low : 0),
    );
    this.#hasLetters = /\D/.test(digits);
  }

  byteLength(units: number): number {
    return (units + 1) >> 1;
  }

  unitsIn(bytes: number): number {
    return 2 * bytes;
  }

  write(value: string, writer: MessageWriter, field: number): void {
    const { bytes } = writer;
    const isOdd = (value.length & 1) === 1;
    const filledFirst = isOdd && this.#side === 'left';
    let to = writer.offset;
    let at = 0;
    // Before the first digit is written, so that a wipe has all of them.
    writer.offset += this.byteLength(value.length);
    if (filledFirst) bytes[to++] = (this.#filler << 4) | this.#nibble(value, at++, field);
    for (; at + 1 < value.length; at += 2) {
      bytes[to++] = (this.#nibble(value, at, field) << 4) | this.#nibble(value, at + 1, field);
    }
    if (at < value.length) bytes[to++] = (this.#nibble(value, at, field) << 4) | this.#filler;
  }

  read(reader: MessageReader, units: number, field: number): string {
    const { bytes, offset } = reader;
    const end = offset + this.byteLength(units);
    const isOdd = (units & 1) === 1;
    const filledFirst = isOdd && this.#side === 'left';
    if (isOdd) {
      const filled = bytes[filledFirst ? offset : end - 1] ?? absent;
      const filler = filledFirst ? filled >> 4 : filled & 0xf;
      if (filler !== this.#filler) throw new Iso8583Error('bad-padding', { field, offset });
      this.#demandReadable(filled, filledFirst ? low : high, offset, field);
    }
    const wholeEnd = isOdd && !filledFirst ? end - 1 : end;
    for (let at = filledFirst ? offset + 1 : offset; at < wholeEnd; at++) {
      this.#demandReadable(bytes[at] ?? absent, both, offset, field);
    }
    reader.offset = end;
    const start = 2 * offset + (filledFirst ? 1 : 0);
    const value = reader.nibbles(start, start + units);
    return this.#hasLetters ? value.toUpperCase() : value;
  }

  #nibble(value: string, at: number, field: number): number {
    const nibble = this.#nibbles[value.charCodeAt(at)];
    // A code above 255 has no place in the table.
    if (nibble === undefined || nibble === absent) throw new Iso8583Error('bad-character', { field, offset: 0 });
    return nibble;
  }

  #demandReadable(byte: number, nibbles: number, offset: number, field: number): void {
    if (((this.#readable[byte] ?? 0) & nibbles) !== nibbles) throw new Iso8583Error('bad-character', { field, offset });
  }
}

/** The byte layout of a field's units. Units are digits, characters or bytes: whatever the field's length counts. */
export interface Encoding<Value extends string | Uint8Array> {
  byteLength(units: number): number;
  /** The maximum number of units in a number of bytes; undefined if the units would not fill whole bytes. */
  unitsIn(bytes: number): number | undefined;
  /** Writes a value, whose units are its `length`; there is room for it. Throws Iso8583Error 'bad-character'. */
  write(value: Value, writer: MessageWriter, field: number): void;
  /** Reads `units`; their bytes are there. Throws Iso8583Error 'bad-character' or 'bad-padding'. */
  read(reader: MessageReader, units: number, field: number): Value;
}

/** The sets of ISO 8583 for text of one character to a byte. A space fills fixed fields of every set but n. */
export const characterSets = {
  n: /^\d$/,
  an: /^[\dA-Za-z ]$/,
  ans: /^[\x20-\x7e]$/,
} as const satisfies Record<string, RegExp>;

/** A set of them. */
export type CharacterSet = keyof typeof characterSets;

/** One printable ASCII character to a byte, narrowed by the field's own character set. */
class AsciiText implements Encoding<string> {
  /** By character code: 1 where the set has it. */
  readonly #has: Uint8Array;

  constructor(set: CharacterSet) {
    this.#has = Uint8Array.from({ length: 256 }, (_, code) =>
      Number(characterSets[set].test(String.fromCharCode(code))),
    );
  }

  byteLength(units: number): number {
    return units;
  }

  unitsIn(bytes: number): number {
    return bytes;
  }

  write(value: string, writer: MessageWriter, field: number): void {
    const { bytes } = writer;
    const start = writer.offset;
    // Before the first character is written, so that a wipe has all of them.
    writer.offset += value.length;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      // A code above 255 is in no set: the table has no such place.
      if (this.#has[code] !== 1) throw new Iso8583Error('bad-character', { field, offset: 0 });
      bytes[start + at] = code;
    }
  }

  read(reader: MessageReader, units: number, field: number): string {
    const { bytes, offset } = reader;
    const end = offset + units;
    for (let at = offset; at < end; at++) {
      if (this.#has[bytes[at] ?? 0] !== 1) throw new Iso8583Error('bad-character', { field, offset });
    }
    reader.offset = end;
    return reader.characters(offset, end);
  }
}

class Binary implements Encoding<Uint8Array> {
  byteLength(units: number): number {
    return units;
  }

  unitsIn(bytes: number): number {
    return bytes;
  }

  write(value: Uint8Array, writer: MessageWriter): void {
    writer.bytes.set(value, writer.offset);
    writer.offset += value.length;
  }

  read(reader: MessageReader, units: number): Uint8Array {
    const { bytes, offset } = reader;
    reader.offset = offset + units;
    // Neither a view, as Buffer's slice gives it, nor a Buffer.
    const copy = new Uint8Array(units);
    copy.set(bytes.subarray(offset, offset + units));
    return copy;
  }
}

/** One byte to a character of the same code, whatever it is: ISO 8859-1. */
class AnyText implements Encoding<string> {
  byteLength(units: number): number {
    return units;
  }

  unitsIn(bytes: number): number {
    return bytes;
  }

  write(value: string, writer: MessageWriter, field: number): void {
    const start = writer.offset;
    writer.offset += value.length;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      if (code > 0xff) throw new Iso8583Error('bad-character', { field, offset: 0 });
      writer.bytes[start + at] = code;
    }
  }

  read(reader: MessageReader, units: number): string {
    const { offset } = reader;
    reader.offset = offset + units;
    return reader.characters(offset, reader.offset);
  }
}

export const anyText: Encoding<string> = new AnyText();

const asciiTexts: Readonly<Record<CharacterSet, Encoding<string>>> = {
  n: new AsciiText('n'),
  an: new AsciiText('an'),
  ans: new AsciiText('ans'),
};

export function ascii(set: CharacterSet): Encoding<string> {
  return asciiTexts[set];
}

/** Bytes unchanged; reading copies them. */
export const binary: Encoding<Uint8Array> = new Binary();
