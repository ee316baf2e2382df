import { decodeBitmap, encodeBitmap } from './bitmap.ts';
import type { Field } from './field.ts';
import { Iso8583Error } from './iso8583-error.ts';

/** Field formats by field number, 2 to 128. */
export type FieldTable = { readonly [number: number]: Field<string> | Field<Uint8Array> };

/** What the codec must know about a host's messages. */
export interface MessageSpec<Table extends FieldTable> {
  readonly mti: Field<string>;
  readonly fields: Table;
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

const secondaryField = 65;

/** Message → bytes, from the message type to the last field. Throws Iso8583Error. */
export function pack<Table extends FieldTable>(spec: MessageSpec<Table>, message: Message<Table>): Uint8Array {
  // Integer-like object keys are in ascending order, as fields must be: ECMA-262, OrdinaryOwnPropertyKeys.
  const values = Object.entries<string | Uint8Array | undefined>(message.fields).flatMap(([number, value]) =>
    value === undefined ? [] : [{ number: Number(number), value }],
  );
  return Buffer.concat([
    ...spec.mti.encode(message.mti, 0),
    encodeBitmap(values.map(({ number }) => number)),
    ...values.flatMap(({ number, value }) => formatOf(spec, number, 0).encode(value, number)),
  ]);
}

/** Bytes → message. All of `bytes` must be the message; what is read is copied. Throws Iso8583Error. */
export function unpack<Table extends FieldTable>(spec: MessageSpec<Table>, bytes: Uint8Array): Message<Table> {
  const mti = spec.mti.decode(bytes, 0, 0);
  const bitmap = decodeBitmap(bytes, { field: 1, offset: mti.next });
  const values: Record<number, string | Uint8Array> = {};
  let offset = bitmap.next;
  for (const number of bitmap.fields) {
    const { value, next } = formatOf(spec, number, offset).decode(bytes, offset, number);
    values[number] = value;
    offset = next;
  }
  if (offset !== bytes.length) throw new Iso8583Error('trailing-bytes', { field: bitmap.fields.at(-1) ?? 1, offset });
  // Each value was decoded by its field's format, so the values have the table's types.
  return { mti: mti.value, fields: values as FieldValues<Table> };
}

/** Field 65 would announce a third bitmap, which this codec does not have. */
function formatOf(spec: MessageSpec<FieldTable>, number: number, offset: number): Field<string | Uint8Array> {
  const format = Object.hasOwn(spec.fields, number) && number !== secondaryField ? spec.fields[number] : undefined;
  if (!format) throw new Iso8583Error('unknown-field', { field: number, offset });
  return format;
}
