import { bitmapEnd, markField, nextField, reserveBitmap } from './bitmap.ts';
import type { Field } from './field.ts';
import { Iso8583Error } from './iso8583-error.ts';
import { MessageReader } from './reader.ts';
import { MessageWriter } from './writer.ts';

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
