import { Iso8583Error } from './iso8583-error.ts';
import { binaryBitmap, type BitmapEncoding, nextField } from './bitmap.ts';
import { MessageReader, type Encoding, MessageWriter } from './encoding.ts';
import type { Length } from './length.ts';

/** What a length prefix counts: the units of its value, or their bytes. */
export type Counted = 'units' | 'bytes';

/** The format of one field: encoding × length. */
export class Field<Value extends string | Uint8Array> {
  readonly #encoding: Encoding<Value>;
  readonly #length: Length;
  readonly #countsBytes: boolean;

  constructor(encoding: Encoding<Value>, length: Length, counted: Counted) {
    this.#encoding = encoding;
    this.#length = length;
    this.#countsBytes = counted === 'bytes';
  }

  /** Writes a value behind what is written. Throws Iso8583Error, with `number` as its field. */
  write(value: Value, writer: MessageWriter, number: number): void {
    const bytes = this.#encoding.byteLength(value.length);
    this.#length.write(this.#countsBytes ? bytes : value.length, writer, number);
    writer.demandRoom(bytes, number);
    this.#encoding.write(value, writer, number);
  }

  /** Reads the value that comes next. Throws Iso8583Error, with `number` as its field. */
  read(reader: MessageReader, number: number): Value {
    const units = this.#unitsOf(this.#length.read(reader, number), reader, number);
    this.#endOf(reader, units, number);
    return this.#encoding.read(reader, units, number);
  }

  /**
   * Passes over the value that comes next: any bytes, and as many as its length says. Throws Iso8583Error for a length
   * that is not one, or that the message does not have.
   */
  skip(reader: MessageReader, number: number): void {
    const units = this.#unitsOf(this.#length.readAny(reader, number), reader, number);
    reader.offset = this.#endOf(reader, units, number);
  }

  #unitsOf(counted: number, { offset }: MessageReader, field: number): number {
    if (!this.#countsBytes) return counted;
    const units = this.#encoding.unitsIn(counted);
    if (units === undefined) throw new Iso8583Error('wrong-length', { field, offset });
    return units;
  }

  #endOf({ bytes, offset }: MessageReader, units: number, number: number): number {
    const end = offset + this.#encoding.byteLength(units);
    if (end > bytes.length) throw new Iso8583Error('truncated', { field: number, offset });
    return end;
  }
}

export function field<Value extends string | Uint8Array>(
  encoding: Encoding<Value>,
  length: Length,
  counted: Counted = 'units',
): Field<Value> {
  return new Field(encoding, length, counted);
}

/** Field formats by field number, 2 to 128. */
export type FieldTable = { readonly [number: number]: Field<string> | Field<Uint8Array> };

/** What the codec must know about a host's messages. */
export interface MessageSpec<Table extends FieldTable> {
  readonly mti: Field<string>;
  readonly fields: Table;
  /** Default: binary. */
  readonly bitmap?: BitmapEncoding;
  /** Whether a second bitmap follows even if it is empty. Default: false. */
  readonly hasSecondBitmap?: boolean;
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

/**
 * A message authentication code, the last field of its message. Its input is all bytes before it, with its bit set in
 * the bitmap.
 */
export interface MessageMac {
  readonly field: 64 | 128;
  /** Computes the value of the field, with the length of its format. */
  readonly compute: (bytes: Uint8Array) => Uint8Array;
}

const fieldsEach = 64;

/** Message → bytes, from the message type to the last field or the MAC. Throws Iso8583Error. */
export function pack<Table extends FieldTable>(
  spec: MessageSpec<Table>,
  message: Message<Table>,
  mac?: MessageMac,
): Uint8Array {
  const values = message.fields as Readonly<Record<string, string | Uint8Array | undefined>>;
  const { bitmap = binaryBitmap, hasSecondBitmap = false } = spec;
  try {
    spec.mti.write(message.mti, writer, 0);
    // Integer-like object keys are in ascending order, as fields must be: ECMA-262, OrdinaryOwnPropertyKeys.
    const numbers = Object.keys(values);
    const isWide = hasSecondBitmap || Math.max(lastOf(numbers, values), mac?.field ?? 0) > fieldsEach;
    const place = bitmap.begin(writer, isWide);
    for (const each of numbers) {
      const value = values[each];
      if (value === undefined) continue;
      const number = Number(each);
      if (number === mac?.field) throw new RangeError(`field ${number} is computed`);
      writeField(spec, number, value);
      bitmap.mark(writer, place, number);
    }
    if (mac) appendMac(spec, place, mac);
    return writer.written();
  } finally {
    writer.wipe();
  }
}

function writeField(spec: MessageSpec<FieldTable>, number: number, value: string | Uint8Array): void {
  // The field's format refuses a value of the other kind.
  (formatOf(spec, number, 0) as Field<string | Uint8Array>).write(value, writer, number);
}

function appendMac(spec: MessageSpec<FieldTable>, place: number, { field: number, compute }: MessageMac): void {
  const { bitmap = binaryBitmap } = spec;
  bitmap.mark(writer, place, number);
  writeField(spec, number, compute(writer.written()));
}

/** The greatest field number that has a value. */
function lastOf(numbers: readonly string[], values: Readonly<Record<string, unknown>>): number {
  return Number(numbers.findLast((each) => values[each] !== undefined) ?? 0);
}

/** Called with each part of a message that is read: field 0 is the message type, 1 the bitmap. */
export type PartListener = (field: number, start: number, end: number) => void;

/**
 * Bytes → message. All of `bytes` must be the message; what is read is copied, and what `spec.used` leaves out is
 * passed over. Throws Iso8583Error.
 */
export function unpack<Table extends FieldTable>(
  spec: MessageSpec<Table>,
  bytes: Uint8Array,
  onPart?: PartListener,
): Message<Table> {
  const reader = new MessageReader(bytes);
  const mti = spec.mti.read(reader, 0);
  onPart?.(0, 0, reader.offset);
  const used = spec.used?.(mti);
  const bitmapStart = reader.offset;
  const bits = (spec.bitmap ?? binaryBitmap).read(reader);
  onPart?.(1, bitmapStart, reader.offset);
  const values: Record<number, string | Uint8Array> = {};
  let last = 1;
  for (let number = nextField(bits, last); number > 0; number = nextField(bits, number)) {
    const start = reader.offset;
    const format = formatOf(spec, number, start);
    if (used?.has(number) ?? true) values[number] = format.read(reader, number);
    else format.skip(reader, number);
    onPart?.(number, start, reader.offset);
    last = number;
  }
  if (reader.offset !== bytes.length) throw new Iso8583Error('trailing-bytes', { field: last, offset: reader.offset });
  // Each value was read by its field's format, so the values have the table's types.
  return { mti, fields: values as FieldValues<Table> };
}

function formatOf(spec: MessageSpec<FieldTable>, number: number, offset: number): Field<string> | Field<Uint8Array> {
  const format = number === tertiaryField ? undefined : spec.fields[number];
  if (!format) throw new Iso8583Error('unknown-field', { field: number, offset });
  return format;
}
