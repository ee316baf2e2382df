import { binaryBitmap, type BitmapEncoding, hexBitmap } from '../../codecs/iso8583/bitmap.ts';
import { ebcdic, hexText } from '../../codecs/iso8583/characters.ts';
import {
  anyText,
  ascii,
  bcd,
  binary,
  type Encoding,
  leftF,
  leftZero,
  nibbles,
  type Padding,
  rightF,
  rightZero,
  track2,
} from '../../codecs/iso8583/encoding.ts';
import { type AnyField, fields1987, type Packing, standardField } from '../../codecs/iso8583/fields-1987.ts';
import type { Framing } from '../../codecs/iso8583/frame.ts';
import { fixedLength, type Length, prefixDigits, type PrefixKind, prefixed } from '../../codecs/iso8583/length.ts';
import { field, type MessageSpec } from '../../codecs/iso8583/message.ts';
import type { FieldEntry, Wire } from './dialects/dialect-schema.ts';
import type { Format } from './dialects/format-schema.ts';

/** Splits a prefix such as 'ascii3' into its kind and its number of digits, or of bytes if it is binary. */
export function prefixOf(text: string): { readonly kind: PrefixKind; readonly size: number } {
  return { kind: text.slice(0, -1) as PrefixKind, size: Number(text.slice(-1)) };
}

const fillers: Readonly<Record<NonNullable<Format['filler']>, Padding>> = {
  left0: leftZero,
  right0: rightZero,
  leftF,
  rightF,
};

const byteEncodings: readonly string[] = ['binary', 'hex', 'hexEbcdic'];

/** Whether a field holds bytes. Other fields hold text or digits. */
export function holdsBytes(number: number, entry: FieldEntry | undefined, packing: Packing): boolean {
  if (entry?.encoding !== undefined) return byteEncodings.includes(entry.encoding);
  const standard = fields1987[number];
  return standard?.set === 'b' || (standard?.set === 'x' && packing === 'bcd');
}

/** The size of a field in units, and whether it is fixed. A field outside the standard needs a format. */
export function sizeOf(
  number: number,
  { encoding, length, prefix }: Partial<FieldEntry>,
): { readonly size: number; readonly isFixed: boolean } {
  if (encoding !== undefined && length !== undefined) return { size: length, isFixed: prefix === undefined };
  const { size = 0, prefix: standardPrefix } = fields1987[number] ?? {};
  return { size, isFixed: standardPrefix === undefined };
}

/** `isLenient`: reads any value of this length. */
export function fieldOf(
  number: number,
  entry: FieldEntry | undefined,
  packing: Packing,
  isLenient = false,
): AnyField | undefined {
  const { encoding, length, prefix, counts = 'units', filler, set = 'ans' } = entry ?? {};
  if (encoding === undefined || length === undefined) {
    const standard = fields1987[number];
    if (!standard) return undefined;
    return isLenient ? lenientStandard(number, packing) : standardField(standard, packing);
  }
  const units: Length = prefix === undefined ? fixedLength(length) : prefixedBy(prefix, length);
  const padding = fillers[filler ?? (prefix === undefined ? 'left0' : 'right0')];
  if (encoding === 'binary') return field(binary, units, counts);
  if (encoding === 'hex') return field(hexText('ascii'), units, counts);
  if (encoding === 'hexEbcdic') return field(hexText('ebcdic'), units, counts);
  return field(textEncoding(encoding, isLenient ? 'any' : set, padding, isLenient), units, counts);
}

function prefixedBy(text: string, most: number): Length {
  const { kind, size } = prefixOf(text);
  return prefixed(kind, size, most);
}

type TextEncoding = Exclude<Format['encoding'], 'binary' | 'hex' | 'hexEbcdic'>;

function textEncoding(
  encoding: TextEncoding,
  set: Format['set'],
  padding: Padding,
  isLenient: boolean,
): Encoding<string> {
  const characters = set === 'any' ? undefined : set;
  switch (encoding) {
    case 'bcd':
      return isLenient ? nibbles(padding) : bcd(padding);
    case 'track2':
      return track2(padding);
    case 'ascii':
      return characters ? ascii(characters) : anyText;
    case 'ebcdic':
    case 'ebcdic37':
      return ebcdic(encoding, characters);
    default:
      return encoding satisfies never;
  }
}

function lenientStandard(number: number, packing: Packing): AnyField | undefined {
  const { set, size, prefix } = fields1987[number] ?? {};
  if (set === undefined || size === undefined || set === 'b' || set === 'x') return fieldOf(number, undefined, packing);
  const units: Length = prefix === undefined ? fixedLength(size) : prefixed(packing, prefix, size);
  if (packing === 'bcd' && set === 'n') return field(nibbles(prefix ? rightZero : leftZero), units);
  return field(packing === 'ebcdic' ? ebcdic('ebcdic') : anyText, units);
}

const bitmaps: Readonly<Record<Wire['bitmap'], BitmapEncoding>> = {
  binary: binaryBitmap,
  hex: hexBitmap('ascii'),
  hexEbcdic: hexBitmap('ebcdic'),
};

export type WireSpec = MessageSpec<Readonly<Record<number, AnyField>>>;

/** How messages are written and read. `lenient`: fields that may have any value. Throws RangeError. */
export function wireSpec(wire: Wire, lenient: readonly number[] = []): WireSpec {
  const { packing, mti = packing, bitmap, secondBitmap } = wire;
  const entries = wire.fields as Readonly<Record<string, FieldEntry>>;
  const numbers = [...new Set([...Object.keys(fields1987), ...Object.keys(entries)].map(Number))].sort((a, b) => a - b);
  const fields = numbers.flatMap((number) => {
    const found = fieldOf(number, entries[number], packing, lenient.includes(number));
    return found ? [[number, found] as const] : [];
  });
  const text = mti === 'bcd' ? bcd(leftZero) : mti === 'ascii' ? ascii('n') : ebcdic('ebcdic', 'n');
  return {
    mti: field(text, fixedLength(4)),
    fields: Object.fromEntries(fields),
    ...(bitmap === 'binary' ? {} : { bitmap: bitmaps[bitmap] }),
    ...(secondBitmap === 'always' ? { hasSecondBitmap: true } : {}),
  };
}

export function framingOf({ framing, packing, mti = packing, bitmap }: Wire): Framing {
  const { kind, size } = prefixOf(framing.length);
  return {
    length: prefixDigits(kind, size),
    before: Buffer.from(framing.before, 'hex'),
    after: Buffer.from(framing.after, 'hex'),
    countsItself: framing.countsItself,
    hasTpdu: framing.tpdu,
    header: Buffer.from(framing.header, 'hex'),
    trailer: Buffer.from(framing.trailer, 'hex'),
    messageBytesMin: (mti === 'bcd' ? 2 : 4) + (bitmap === 'binary' ? 8 : 16),
  };
}
