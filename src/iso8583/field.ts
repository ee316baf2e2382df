import type { Encoding } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';
import type { Length } from './length.ts';

/** The format of one field: encoding × length. */
export interface Field<Value extends string | Uint8Array> {
  /** Throws Iso8583Error, with `number` as its field. */
  encode(value: Value, number: number): readonly Uint8Array[];
  /** Reads the field at `offset`; `next` is the first byte after it. Throws Iso8583Error. */
  decode(bytes: Uint8Array, offset: number, number: number): { readonly value: Value; readonly next: number };
}

export function field<Value extends string | Uint8Array>(encoding: Encoding<Value>, length: Length): Field<Value> {
  return {
    encode(value, number) {
      const place = { field: number, offset: 0 };
      return [length.encode(value.length, place), encoding.encode(value, place)];
    },
    decode(bytes, offset, number) {
      const start = length.decode(bytes, { field: number, offset });
      const next = start.next + encoding.byteLength(start.units);
      const place = { field: number, offset: start.next };
      if (next > bytes.length) throw new Iso8583Error('truncated', place);
      return { value: encoding.decode(bytes.subarray(start.next, next), start.units, place), next };
    },
  };
}
