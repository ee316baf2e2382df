import { bcd } from './encoding.ts';
import { Iso8583Error, type Place } from './iso8583-error.ts';
import { leftZero } from './padding.ts';

/** How a field encodes its number of units (digits, characters or bytes). */
export interface Length {
  /** The length prefix of a value. Throws Iso8583Error 'wrong-length' or 'too-long'. */
  encode(units: number, place: Place): Uint8Array;
  /** The number of units that the bytes at `place.offset` announce, and where the value begins. Throws Iso8583Error. */
  decode(bytes: Uint8Array, place: Place): { readonly units: number; readonly next: number };
}

/** No prefix: always `size` units. */
export function fixedLength(size: number): Length {
  return {
    encode(units, place) {
      if (units !== size) throw new Iso8583Error('wrong-length', place);
      return new Uint8Array(0);
    },
    decode: (_bytes, { offset }) => ({ units: size, next: offset }),
  };
}

/** Two digits in one BCD byte. */
export function ll(max: number): Length {
  return prefixedLength(2, max);
}

/** Three digits in two BCD bytes, filled with a zero on the left: 115 → 01 15. */
export function lll(max: number): Length {
  return prefixedLength(3, max);
}

const digits = bcd(leftZero);

function prefixedLength(size: number, max: number): Length {
  const byteLength = digits.byteLength(size);
  return {
    encode(units, place) {
      if (units > max) throw new Iso8583Error('too-long', place);
      return digits.encode(String(units).padStart(size, '0'), place);
    },
    decode(bytes, place) {
      const next = place.offset + byteLength;
      if (next > bytes.length) throw new Iso8583Error('truncated', place);
      const units = Number(digits.decode(bytes.subarray(place.offset, next), size, place));
      if (units > max) throw new Iso8583Error('too-long', place);
      return { units, next };
    },
  };
}
