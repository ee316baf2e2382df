import { Iso8583Error } from './iso8583-error.ts';
import { MessageReader, type Encoding, type Length, MessageWriter } from './encoding.ts';

/** The format of one field: encoding × length. */
class Field<Value extends string | Uint8Array> {
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

const bytesEach = 8;
const fieldsEach = 64;

/** Bit 1 announces a second bitmap of fields 65 to 128 right after the first: ISO 8583:1987, 4.3. */
const secondaryMark = 0x80;

/** Leaves room for the bitmap, or for both where `last`, the greatest field number, needs the second. Returns its place. */
function reserveBitmap(writer: MessageWriter, last: number): number {
  const start = writer.offset;
  const hasSecondary = last > fieldsEach;
  writer.offset = start + (hasSecondary ? 2 * bytesEach : bytesEach);
  if (hasSecondary) writer.bytes[start] = secondaryMark;
  return start;
}

/** Marks a field, 2 to 128, as present in the bitmap at `start`. */
function markField(writer: MessageWriter, start: number, field: number): void {
  const bit = field - 1;
  const at = start + (bit >> 3);
  writer.bytes[at] = (writer.bytes[at] ?? 0) | (0x80 >> (bit & 7));
}

/**
 * Where the fields begin behind the bitmap that `reader` is at. An empty second bitmap is accepted, because some hosts
 * always send one. Throws Iso8583Error 'truncated'.
 */
function bitmapEnd({ bytes, offset }: MessageReader): number {
  const hasSecondary = ((bytes[offset] ?? 0) & secondaryMark) !== 0;
  const end = offset + (hasSecondary ? 2 * bytesEach : bytesEach);
  if (end > bytes.length) throw new Iso8583Error('truncated', { field: 1, offset });
  return end;
}

/** The next field of the bitmap at `start` behind `field`; 0 where there is none. */
function nextField(bytes: Uint8Array, bitmap: { readonly start: number; readonly end: number }, field: number): number {
  const bits = (bitmap.end - bitmap.start) * 8;
  for (let bit = field; bit < bits; ) {
    const left = (bytes[bitmap.start + (bit >> 3)] ?? 0) & (0xff >> (bit & 7));
    if (left !== 0) return (bit & ~7) + Math.clz32(left) - 24 + 1;
    bit = (bit | 7) + 1;
  }
  return 0;
}

/** Field formats by field number, 2 to 128. */
export type FieldTable = { readonly [number: number]: Field<string> | Field<Uint8Array> };

/** What the codec must know about a host's messages. */
export interface MessageSpec<Table extends FieldTable> {
  readonly mti: Field<string>;
  readonly fields: Table;
  /**
   * The fields that are read of a message of this type. All others may hold any bytes: they are passed over by their
   * lengths, and are not in the message that was read. Default: all.
   */
  readonly used?: (mti: string) => ReadonlySet<number>;
}

/** Text for digits and characters, bytes for binary fields, by field number. Absent and undefined are the same. */
export type FieldValues<Table extends FieldTable> = {
  readonly [Number in keyof Table]?: (Table[Number] extends Field<infer Value> ? Value : never) | undefined;
};

export interface Message<Table extends FieldTable> {
  /** Message type identifier, four digits: '0200'. */
  readonly mti: string;
  readonly fields: FieldValues<Table>;
}

/** It would announce a third bitmap, which this codec does not have. */
const tertiaryField = 65;

/** Packing waits for nothing, so that one writer is enough. */
const writer = new MessageWriter();

/** Message → bytes, from the message type to the last field. Throws Iso8583Error. */
export function pack<Table extends FieldTable>(spec: MessageSpec<Table>, message: Message<Table>): Uint8Array {
  const values = message.fields as Readonly<Record<string, string | Uint8Array | undefined>>;
  try {
    spec.mti.write(message.mti, writer, 0);
    // Integer-like object keys are in ascending order, as fields must be: ECMA-262, OrdinaryOwnPropertyKeys.
    const numbers = Object.keys(values);
    const bitmap = reserveBitmap(writer, lastOf(numbers, values));
    for (const each of numbers) {
      const value = values[each];
      if (value === undefined) continue;
      const number = Number(each);
      formatOf(spec, number, 0).write(value, writer, number);
      markField(writer, bitmap, number);
    }
    return writer.written();
  } finally {
    writer.wipe();
  }
}

/** The greatest field number that has a value. */
function lastOf(numbers: readonly string[], values: Readonly<Record<string, unknown>>): number {
  return Number(numbers.findLast((each) => values[each] !== undefined) ?? 0);
}

/**
 * Bytes → message. All of `bytes` must be the message; what is read is copied, and what `spec.used` leaves out is passed
 * over. Throws Iso8583Error.
 */
export function unpack<Table extends FieldTable>(spec: MessageSpec<Table>, bytes: Uint8Array): Message<Table> {
  const reader = new MessageReader(bytes);
  const mti = spec.mti.read(reader, 0);
  const used = spec.used?.(mti);
  const bitmap = { start: reader.offset, end: bitmapEnd(reader) };
  reader.offset = bitmap.end;
  const values: Record<number, string | Uint8Array> = {};
  let last = 1;
  for (let number = nextField(bytes, bitmap, last); number > 0; number = nextField(bytes, bitmap, number)) {
    const format = formatOf(spec, number, reader.offset);
    if (used?.has(number) ?? true) values[number] = format.read(reader, number);
    else format.skip(reader, number);
    last = number;
  }
  if (reader.offset !== bytes.length) throw new Iso8583Error('trailing-bytes', { field: last, offset: reader.offset });
  // Each value was read by its field's format, so the values have the table's types.
  return { mti, fields: values as FieldValues<Table> };
}

function formatOf(spec: MessageSpec<FieldTable>, number: number, offset: number): Field<string | Uint8Array> {
  const format = number === tertiaryField ? undefined : spec.fields[number];
  if (!format) throw new Iso8583Error('unknown-field', { field: number, offset });
  return format;
}
