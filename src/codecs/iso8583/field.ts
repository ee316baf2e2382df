import type { Encoding } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';
import type { Length } from './length.ts';
import type { MessageReader } from './reader.ts';
import type { MessageWriter } from './writer.ts';

/** The format of one field: encoding × length. */
export class Field<Value extends string | Uint8Array> {
  readonly #encoding: Encoding<Value>;
  readonly #length: Length;

  constructor(encoding: Encoding<Value>, length: Length) {
    this.#encoding = encoding;
    this.#length = length;
  }

  /** Writes a value behind what is written. Throws Iso8583Error, with `number` as its field. */
  write(value: Value, writer: MessageWriter, number: number): void {
    this.#length.write(value.length, writer, number);
    writer.demandRoom(this.#encoding.byteLength(value.length), number);
    this.#encoding.write(value, writer, number);
  }

  /** Reads the value that comes next. Throws Iso8583Error, with `number` as its field. */
  read(reader: MessageReader, number: number): Value {
    const units = this.#length.read(reader, number);
    this.#endOf(reader, units, number);
    return this.#encoding.read(reader, units, number);
  }

  /**
   * Passes over the value that comes next: any bytes, and as many as its length says. Throws Iso8583Error for a length
   * that is not one, or that the message does not have.
   */
  skip(reader: MessageReader, number: number): void {
    const units = this.#length.readAny(reader, number);
    reader.offset = this.#endOf(reader, units, number);
  }

  #endOf({ bytes, offset }: MessageReader, units: number, number: number): number {
    const end = offset + this.#encoding.byteLength(units);
    if (end > bytes.length) throw new Iso8583Error('truncated', { field: number, offset });
    return end;
  }
}

export function field<Value extends string | Uint8Array>(encoding: Encoding<Value>, length: Length): Field<Value> {
  return new Field(encoding, length);
}
