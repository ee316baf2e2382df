import { Iso8583Error, type Place } from './iso8583-error.ts';
import { type Padding, pad, unpad } from './padding.ts';

/** The byte layout of a field's units. Units are digits, characters or bytes: whatever the field's length counts. */
export interface Encoding<Value extends string | Uint8Array> {
  byteLength(units: number): number;
  /** Throws Iso8583Error 'bad-character'. A value's units are its `length`. */
  encode(value: Value, place: Place): Uint8Array;
  /** `bytes` are exactly `byteLength(units)`. Throws Iso8583Error 'bad-character' or 'bad-padding'. */
  decode(bytes: Uint8Array, units: number, place: Place): Value;
}

/** Two decimal digits to a byte. */
export function bcd(padding: Padding): Encoding<string> {
  return packedEncoding(/^\d*$/, padding);
}

/**
 * Track 2 by ISO/IEC 7813, two characters to a byte: digits and the separator, which is 'D' in a nibble. Reading
 * returns 'D'; writing also accepts '='.
 */
export function track2(padding: Padding): Encoding<string> {
  const nibbles = packedEncoding(/^[\dD]*$/, padding);
  return { ...nibbles, encode: (value, place) => nibbles.encode(value.replaceAll('=', 'D'), place) };
}

function packedEncoding(alphabet: RegExp, padding: Padding): Encoding<string> {
  return {
    byteLength: (units) => Math.ceil(units / 2),
    encode(value, place) {
      // Checked before, because Buffer.from stops silently at the first character that is not a hex digit.
      if (!alphabet.test(value)) throw new Iso8583Error('bad-character', place);
      return Buffer.from(pad(value, padding), 'hex');
    },
    decode(bytes, units, place) {
      const nibbles = Buffer.from(bytes).toString('hex').toUpperCase();
      const value = unpad(nibbles, units, padding);
      if (value === undefined) throw new Iso8583Error('bad-padding', place);
      if (!alphabet.test(value)) throw new Iso8583Error('bad-character', place);
      return value;
    },
  };
}

/** One printable ASCII character to a byte, narrowed by the field's own character set: n, an or ans of ISO 8583. */
export function ascii(set: 'n' | 'an' | 'ans'): Encoding<string> {
  const alphabet = asciiAlphabets[set];
  return {
    byteLength: (units) => units,
    encode(value, place) {
      if (!alphabet.test(value)) throw new Iso8583Error('bad-character', place);
      return Buffer.from(value, 'latin1');
    },
    decode(bytes, _units, place) {
      // latin1, because Node's 'ascii' clears the top bit and reads 0xB0 as '0'.
      const value = Buffer.from(bytes).toString('latin1');
      if (!alphabet.test(value)) throw new Iso8583Error('bad-character', place);
      return value;
    },
  };
}

/** A space fills fixed fields of every set but n. */
const asciiAlphabets = {
  n: /^\d*$/,
  an: /^[\dA-Za-z ]*$/,
  ans: /^[\x20-\x7e]*$/,
} as const satisfies Record<string, RegExp>;

/** Bytes unchanged; decoding copies them. */
export const binary: Encoding<Uint8Array> = {
  byteLength: (units) => units,
  encode: (value) => value,
  decode: (bytes) => Uint8Array.from(bytes),
};
