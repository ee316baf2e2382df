import { type ObjectPlace, objectAt } from '../../card/tlv.ts';
import type { Field } from '../frame.ts';
import { currencyOf, field, hexOf, maskedNumber, named, secretField } from './field.ts';
import { responseCodes } from './response-codes.ts';
import {
  cryptograms,
  entryModes,
  readerAdvice,
  readerErrors,
  readerResults,
  readWays,
  statusInformation,
  tagNames,
  transactionTypes,
  verificationMethods,
  verificationResults,
} from './tags.ts';

/**
 * ID TECH: the object is masked (A1) or encrypted (C1), as a byte between tag and length shows (fixtures/README.md).
 */
const markers: Readonly<Record<number, string>> = { 0xa1: 'masked by the reader', 0xc1: 'encrypted by the reader' };
const markerBytes = Object.keys(markers).map(Number);

/** Card data that no object may hold in the clear. */
const clearCardData: ReadonlySet<string> = new Set(['56', '57', '5A', '5F20', '9F0B', '9F1F', '9F20', 'DFEE23']);

const constructedBit = 0x20;
const depthMax = 8;

/** These have the bit of a constructed object, and are none. */
const primitive: ReadonlySet<string> = new Set(['FFEE1F']);

const texts: ReadonlySet<string> = new Set(['50', '8A', '9F12', '9F1E', '9F4E', 'DF62', 'DFDF25', 'DFDF4D']);

export interface Objects {
  readonly fields: readonly Field[];
  /** Where the list ended, or broke off. */
  readonly end: number;
}

/** The data objects between two positions, as far as they are in order. */
export function objectFields(payload: Buffer, at: number, end: number, depth = 0): Objects {
  const bytes = payload.subarray(0, end);
  const fields: Field[] = [];
  let next = at;
  while (next < end) {
    const place = objectAt(bytes, next, markerBytes);
    if (place === undefined) break;
    fields.push(objectField(payload, next, place, depth));
    next = place.end;
  }
  return { fields, end: next };
}

/** All objects by tag, those of templates too: of one that comes twice the first. */
export function valuesOf(fields: readonly Field[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { name, value, fields: inner = [] } of fields) {
    for (const [tag, each] of [[name.split(' ')[0] ?? '', value] as const, ...valuesOf(inner)]) {
      if (!values.has(tag)) values.set(tag, each);
    }
  }
  return values;
}

function objectField(payload: Buffer, at: number, { tag, tagEnd, valueAt, end }: ObjectPlace, depth: number): Field {
  const known = named(tagNames, tag);
  const name = known === undefined ? tag : `${tag} ${known}`;
  const marker = markers[payload[tagEnd] ?? 0];
  const value = payload.subarray(valueAt, end);
  if (marker !== undefined) return field(payload, name, at, end - at, { value: hexOf(value), meaning: marker });
  if (clearCardData.has(tag))
    return secretField(name, at, end - at, cardDataText(tag, value), 'card data in the clear');
  if (((payload[at] ?? 0) & constructedBit) !== 0 && !primitive.has(tag) && depth < depthMax && value.length > 0) {
    const inner = objectFields(payload, valueAt, end, depth + 1);
    if (inner.end === end) return field(payload, name, at, end - at, { value: '', fields: inner.fields });
  }
  return field(payload, name, at, end - at, {
    value: texts.has(tag) ? textOf(value) : hexOf(value),
    meaning: meaningOf(tag, value),
  });
}

function cardDataText(tag: string, value: Buffer): string {
  const [digits = ''] = hexOf(value).split(/[DF]/);
  return (tag === '57' || tag === '5A') && /^\d+$/.test(digits) ? maskedNumber(digits) : `${value.length} bytes`;
}

function textOf(value: Buffer): string {
  return value.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
}

function meaningOf(tag: string, value: Buffer): string | undefined {
  const hex = hexOf(value);
  switch (tag) {
    case '5F2A':
      return currencyOf(hex);
    case '8A':
      return named(responseCodes, value.toString('latin1'));
    case '95':
      return bitsText(value, verificationResults);
    case '9B':
      return bitsText(value, statusInformation);
    case '9C':
      return named(transactionTypes, hex);
    case '9F27':
      return named(cryptograms, hex.slice(0, 1) + '0');
    case '9F34':
      return named(verificationMethods, hexOf(Buffer.of((value[0] ?? 0) & 0x3f)));
    case '9F39':
      return named(entryModes, hex);
    case 'DFDF1A':
      return named(readerResults, hex);
    case 'DFDF52':
      return named(readWays, hex);
    case 'FFEE1F':
      return [named(readerErrors, hex.slice(0, 2)), named(readerAdvice, hex.slice(2, 4))].filter(Boolean).join(', ');
    case 'DFEF37':
      return interfacesText(value[0] ?? 0);
    default:
      return undefined;
  }
}

/** The names of the bits that are set. */
function bitsText(value: Buffer, names: readonly (readonly string[])[]): string {
  const set = names.flatMap((byte, at) =>
    byte.filter((name, bit) => name !== '' && ((value[at] ?? 0) & (0x80 >> bit)) !== 0),
  );
  return set.join(', ');
}

function interfacesText(bits: number): string {
  return ['stripe', 'contactless', 'chip'].filter((_, bit) => (bits & (1 << bit)) !== 0).join(', ');
}
