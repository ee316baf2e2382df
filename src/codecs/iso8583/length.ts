import type { MessageReader, MessageWriter } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';

/** The length of a field in units (digits, characters or bytes): fixed, or a number before them. */
export interface Length {
  /** Writes the prefix of a value. Throws Iso8583Error 'wrong-length' or 'too-long'. */
  write(units: number, writer: MessageWriter, field: number): void;
  /** Reads the number of units that follow. Throws Iso8583Error. */
  read(reader: MessageReader, field: number): number;
  /** Reads the number of units that follow, up to the maximum of the prefix. Throws Iso8583Error. */
  readAny(reader: MessageReader, field: number): number;
}

class FixedLength implements Length {
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  write(units: number, _writer: MessageWriter, field: number): void {
    if (units !== this.#size) throw new Iso8583Error('wrong-length', { field, offset: 0 });
  }

  read(): number {
    return this.#size;
  }

  readAny(): number {
    return this.#size;
  }
}

/** The encoding of the number in a length prefix. */
interface PrefixDigits {
  readonly bytes: number;
  /** The greatest number that the prefix can encode. */
  readonly greatest: number;
  /** Writes a number of at most `greatest`. */
  write(number: number, to: Uint8Array, offset: number): void;
  /** Reads the number; returns a fault if there is none. */
  read(from: Uint8Array, offset: number): number | 'bad-character' | 'bad-padding';
}

class Prefixed implements Length {
  readonly #prefix: PrefixDigits;
  readonly #unitsMax: number;

  constructor(prefix: PrefixDigits, unitsMax: number) {
    if (unitsMax > prefix.greatest) throw new RangeError(`a length prefix of ${prefix.greatest} at most`);
    this.#prefix = prefix;
    this.#unitsMax = unitsMax;
  }

  write(units: number, writer: MessageWriter, field: number): void {
    if (units > this.#unitsMax) throw new Iso8583Error('too-long', { field, offset: 0 });
    const { bytes } = this.#prefix;
    writer.demandRoom(bytes, field);
    this.#prefix.write(units, writer.bytes, writer.offset);
    writer.offset += bytes;
  }

  read(reader: MessageReader, field: number): number {
    const { offset } = reader;
    const units = this.readAny(reader, field);
    if (units > this.#unitsMax) throw new Iso8583Error('too-long', { field, offset });
    return units;
  }

  readAny(reader: MessageReader, field: number): number {
    const { bytes, offset } = reader;
    const end = offset + this.#prefix.bytes;
    if (end > bytes.length) throw new Iso8583Error('truncated', { field, offset });
    const units = this.#prefix.read(bytes, offset);
    if (typeof units === 'string') throw new Iso8583Error(units, { field, offset });
    reader.offset = end;
    return units;
  }
}

/** Two decimal digits in each byte. An odd number of digits has a zero nibble before it: 115 → 01 15. */
class BcdDigits implements PrefixDigits {
  readonly bytes: number;
  readonly greatest: number;
  readonly #isOdd: boolean;

  constructor(digits: number) {
    this.bytes = (digits + 1) >> 1;
    this.greatest = 10 ** digits - 1;
    this.#isOdd = (digits & 1) === 1;
  }

  write(number: number, to: Uint8Array, offset: number): void {
    let left = number;
    for (let at = offset + this.bytes - 1; at >= offset; at--) {
      const two = left % 100;
      const ones = two % 10;
      to[at] = (((two - ones) / 10) << 4) | ones;
      left = (left - two) / 100;
    }
  }

  read(from: Uint8Array, offset: number): number | 'bad-character' | 'bad-padding' {
    if (this.#isOdd && (from[offset] ?? 0) >> 4 !== 0) return 'bad-padding';
    let number = 0;
    for (let at = offset; at < offset + this.bytes; at++) {
      const byte = from[at] ?? 0;
      if (byte >> 4 > 9 || (byte & 0xf) > 9) return 'bad-character';
      number = number * 100 + (byte >> 4) * 10 + (byte & 0xf);
    }
    return number;
  }
}

/** One character for each digit of a number with base 10 or 16. `zero`: the code of '0', which '1' to '9' follow. */
class CharacterDigits implements PrefixDigits {
  readonly bytes: number;
  readonly greatest: number;
  readonly #zero: number;

  constructor(digits: number, zero: number) {
    this.bytes = digits;
    this.greatest = 10 ** digits - 1;
    this.#zero = zero;
  }

  write(number: number, to: Uint8Array, offset: number): void {
    let left = number;
    for (let at = offset + this.bytes - 1; at >= offset; at--) {
      const ones = left % 10;
      to[at] = this.#zero + ones;
      left = (left - ones) / 10;
    }
  }

  read(from: Uint8Array, offset: number): number | 'bad-character' {
    let number = 0;
    for (let at = offset; at < offset + this.bytes; at++) {
      const digit = (from[at] ?? 0) - this.#zero;
      if (digit < 0 || digit > 9) return 'bad-character';
      number = number * 10 + digit;
    }
    return number;
  }
}

/** Hexadecimal digits in ASCII. */
class HexDigits implements PrefixDigits {
  readonly bytes: number;
  readonly greatest: number;

  constructor(digits: number) {
    this.bytes = digits;
    this.greatest = 16 ** digits - 1;
  }

  write(number: number, to: Uint8Array, offset: number): void {
    const text = number.toString(16).toUpperCase().padStart(this.bytes, '0');
    for (let at = 0; at < this.bytes; at++) to[offset + at] = text.charCodeAt(at);
  }

  read(from: Uint8Array, offset: number): number | 'bad-character' {
    const text = String.fromCharCode(...from.subarray(offset, offset + this.bytes));
    return /^[\dA-Fa-f]+$/.test(text) ? Number.parseInt(text, 16) : 'bad-character';
  }
}

/** Big-endian. */
class BinaryNumber implements PrefixDigits {
  readonly bytes: number;
  readonly greatest: number;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.greatest = 256 ** bytes - 1;
  }

  write(number: number, to: Uint8Array, offset: number): void {
    let left = number;
    for (let at = offset + this.bytes - 1; at >= offset; at--) {
      to[at] = left & 0xff;
      left = Math.floor(left / 0x100);
    }
  }

  read(from: Uint8Array, offset: number): number {
    let number = 0;
    for (let at = offset; at < offset + this.bytes; at++) number = number * 0x100 + (from[at] ?? 0);
    return number;
  }
}

/** The kinds of encoding of a prefix. */
export type PrefixKind = 'bcd' | 'ascii' | 'ebcdic' | 'hex' | 'binary';

const zeros = { ascii: 0x30, ebcdic: 0xf0 } as const;

/** `size`: the number of digits, or of bytes for a binary number. */
export function prefixDigits(kind: PrefixKind, size: number): PrefixDigits {
  switch (kind) {
    case 'bcd':
      return new BcdDigits(size);
    case 'ascii':
    case 'ebcdic':
      return new CharacterDigits(size, zeros[kind]);
    case 'hex':
      return new HexDigits(size);
    case 'binary':
      return new BinaryNumber(size);
    default:
      return kind satisfies never;
  }
}

/** No prefix: always `size` units. */
export function fixedLength(size: number): Length {
  return new FixedLength(size);
}

/** A number of at most `max` before the units. Throws RangeError if the prefix can't encode `max`. */
export function prefixed(kind: PrefixKind, size: number, max: number): Length {
  return new Prefixed(prefixDigits(kind, size), max);
}

/** Two digits in one BCD byte. */
export function ll(max: number): Length {
  return prefixed('bcd', 2, max);
}

/** Three digits in two BCD bytes, filled with a zero on the left: 115 → 01 15. */
export function lll(max: number): Length {
  return prefixed('bcd', 3, max);
}
