import type { Encoding } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';
import type { MessageReader } from './reader.ts';
import type { MessageWriter } from './writer.ts';

/** The filler nibble of a byte that an odd number of digits leaves half empty, and its side. */
export interface Padding {
  readonly side: 'left' | 'right';
  readonly nibble: '0' | 'F';
}

export const leftZero: Padding = { side: 'left', nibble: '0' };
export const rightZero: Padding = { side: 'right', nibble: '0' };

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
