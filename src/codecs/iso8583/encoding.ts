import { Iso8583Error } from './iso8583-error.ts';
import type { MessageReader } from './reader.ts';
import type { MessageWriter } from './writer.ts';

/** The byte layout of a field's units. Units are digits, characters or bytes: whatever the field's length counts. */
export interface Encoding<Value extends string | Uint8Array> {
  byteLength(units: number): number;
  /** Writes a value, whose units are its `length`; there is room for it. Throws Iso8583Error 'bad-character'. */
  write(value: Value, writer: MessageWriter, field: number): void;
  /** Reads `units`; their bytes are there. Throws Iso8583Error 'bad-character' or 'bad-padding'. */
  read(reader: MessageReader, units: number, field: number): Value;
}

/** The sets of ISO 8583 for text of one character to a byte. A space fills fixed fields of every set but n. */
const characterSets = {
  n: /^\d$/,
  an: /^[\dA-Za-z ]$/,
  ans: /^[\x20-\x7e]$/,
} as const satisfies Record<string, RegExp>;

/** One printable ASCII character to a byte, narrowed by the field's own character set. */
class AsciiText implements Encoding<string> {
  /** By character code: 1 where the set has it. */
  readonly #has: Uint8Array;

  constructor(set: keyof typeof characterSets) {
    this.#has = Uint8Array.from({ length: 256 }, (_, code) =>
      Number(characterSets[set].test(String.fromCharCode(code))),
    );
  }

  byteLength(units: number): number {
    return units;
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

export function ascii(set: keyof typeof characterSets): Encoding<string> {
  return new AsciiText(set);
}

/** Bytes unchanged; reading copies them. */
export const binary: Encoding<Uint8Array> = new Binary();
