import { anyFieldSpecs } from '../fields.ts';
import { MalformedMessage } from '../message.ts';
import { fromPage, type Page, toPage } from './codes.ts';
import type { DialectFile, Format } from './file.ts';

/** The value of a field on the wire: digits and text unchanged, bytes as upper-case hexadecimal. */
export interface WireFormat {
  readonly encoding: NonNullable<Format['encoding']>;
  readonly length: number;
  readonly prefix: string | undefined;
  readonly countsBytes: boolean;
  readonly filler: NonNullable<Format['filler']>;
}

export interface WirePart {
  readonly field: number;
  readonly value: string;
  readonly at: number;
  readonly length: number;
}

export interface WireMessage {
  readonly mti: string;
  readonly fields: ReadonlyMap<number, string>;
}

/** The format of a field: from the file, or else the standard format in the file's packing. */
export function formatOf({ fields, packing }: DialectFile, field: number): WireFormat {
  const own = fields[String(field)];
  if (own?.encoding !== undefined && own.length !== undefined) {
    const filler = own.filler ?? (own.prefix === undefined ? 'left0' : 'right0');
    const { encoding, length, prefix, counts } = own;
    return { encoding, length, prefix, filler, countsBytes: counts === 'bytes' };
  }
  return standardFormat(field, packing);
}

function standardFormat(field: number, packing: DialectFile['packing']): WireFormat {
  const spec = field === 48 ? ({ packing: 'ans', length: 999, prefix: 'LLL' } as const) : anyFieldSpecs.get(field);
  if (!spec) throw new MalformedMessage(field, 'not of ISO 8583:1987');
  const text = packing === 'ebcdic' ? 'ebcdic' : 'ascii';
  const prefix = spec.prefix && `${packing}${spec.prefix.length}`;
  const common = { prefix, countsBytes: false, filler: prefix === undefined ? 'left0' : 'right0' } as const;
  const isSigned = spec.packing === 'b' && (spec.length === 5 || spec.length === 9);
  const length = field === 55 ? 999 : spec.length;
  if (isSigned && packing !== 'bcd') return { ...common, encoding: text, length: 2 * length - 1 };
  if (spec.packing === 'b') {
    if (packing !== 'ascii') return { ...common, encoding: 'binary', length };
    return { ...common, encoding: 'hex', length, countsBytes: prefix !== undefined };
  }
  if (packing !== 'bcd' || spec.packing === 'ans') return { ...common, encoding: text, length };
  return { ...common, encoding: spec.packing === 'z' ? 'track2' : 'bcd', length };
}

/** The parts of a message in order. Throws MalformedMessage at the first unreadable part. */
export function* wireParts(file: DialectFile, bytes: Buffer): Generator<WirePart> {
  const { mti = file.packing, bitmap } = file;
  const cursor = new Cursor(bytes);
  const type = readMti(cursor, mti);
  yield { field: 0, value: type, at: 0, length: cursor.at };
  const start = cursor.at;
  let bits = readBitmap(cursor, bitmap);
  if (((bits[0] ?? 0) & 0x80) !== 0) bits = Buffer.concat([bits, readBitmap(cursor, bitmap)]);
  yield { field: 1, value: hexOf(bits), at: start, length: cursor.at - start };
  for (let field = 2; field <= bits.length * 8; field++) {
    if (((bits[(field - 1) >> 3] ?? 0) & (0x80 >> ((field - 1) & 7))) === 0) continue;
    const { at } = cursor;
    const value = readField(cursor, field, formatOf(file, field));
    yield { field, value, at, length: cursor.at - at };
  }
  if (cursor.at < bytes.length)
    throw new MalformedMessage(0, `${bytes.length - cursor.at} bytes behind the last field`);
}

export function unpackWire(file: DialectFile, bytes: Buffer): WireMessage {
  const fields = new Map<number, string>();
  let mti = '';
  for (const { field, value } of wireParts(file, bytes)) {
    if (field === 0) mti = value;
    else if (field > 1) fields.set(field, value);
  }
  return { mti, fields };
}

/** Throws MalformedMessage for a value that its field can't hold. */
export function packWire(file: DialectFile, { mti, fields }: WireMessage): Buffer {
  const sorted = [...fields].sort(([one], [other]) => one - other);
  const bits = Buffer.alloc(sorted.some(([field]) => field > 64) ? 16 : 8);
  if (bits.length > 8) bits[0] = 0x80;
  for (const [field] of sorted) {
    const at = (field - 1) >> 3;
    bits[at] = (bits[at] ?? 0) | (0x80 >> ((field - 1) & 7));
  }
  const packed = sorted.map(([field, value]) => packField(field, value, formatOf(file, field)));
  return Buffer.concat([packMti(mti, file.mti ?? file.packing), packBitmap(bits, file.bitmap), ...packed]);
}

class Cursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(field: number, length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new MalformedMessage(field, 'ends inside it');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function readMti(cursor: Cursor, mti: DialectFile['packing']): string {
  const text = mti === 'bcd' ? cursor.take(0, 2).toString('hex') : fromPage(cursor.take(0, 4), mti);
  if (!/^\d{4}$/.test(text)) throw new MalformedMessage(0, 'not four digits');
  return text;
}

function packMti(mti: string, packing: DialectFile['packing']): Buffer {
  return packing === 'bcd' ? Buffer.from(mti, 'hex') : textBytes(0, mti, packing);
}

function readBitmap(cursor: Cursor, bitmap: DialectFile['bitmap']): Buffer {
  if (bitmap === 'binary') return cursor.take(1, 8);
  const text = fromPage(cursor.take(1, 16), bitmap === 'hex' ? 'ascii' : 'ebcdic');
  if (!/^[\dA-Fa-f]{16}$/.test(text)) throw new MalformedMessage(1, 'not hexadecimal');
  return Buffer.from(text, 'hex');
}

function packBitmap(bits: Buffer, bitmap: DialectFile['bitmap']): Buffer {
  return bitmap === 'binary' ? bits : textBytes(1, hexOf(bits), bitmap === 'hex' ? 'ascii' : 'ebcdic');
}

function readField(cursor: Cursor, field: number, format: WireFormat): string {
  const { prefix, length, countsBytes, encoding } = format;
  const counted = prefix === undefined ? length : readNumber(cursor, field, prefix);
  const units = countsBytes ? unitsIn(encoding, counted) : counted;
  if (prefix !== undefined && units > length) throw new MalformedMessage(field, `longer than ${length}`);
  const bytes = cursor.take(field, bytesOf(encoding, units));
  switch (encoding) {
    case 'bcd':
    case 'track2': {
      const nibbles = hexOf(bytes);
      const isLeft = format.filler.startsWith('left');
      return units % 2 === 0 ? nibbles : isLeft ? nibbles.slice(1) : nibbles.slice(0, -1);
    }
    case 'binary':
      return hexOf(bytes);
    case 'hex':
    case 'hexEbcdic':
      return fromPage(bytes, encoding === 'hex' ? 'ascii' : 'ebcdic').toUpperCase();
    default:
      return fromPage(bytes, encoding);
  }
}

function packField(field: number, value: string, format: WireFormat): Buffer {
  const { encoding, prefix, length, countsBytes, filler } = format;
  const isBytes = encoding === 'binary' || encoding === 'hex' || encoding === 'hexEbcdic';
  const units = isBytes ? value.length / 2 : value.length;
  if (prefix === undefined ? units !== length : units > length) throw new MalformedMessage(field, `of length ${units}`);
  const counted = countsBytes ? bytesOf(encoding, units) : units;
  return Buffer.concat([
    prefix === undefined ? Buffer.alloc(0) : numberBytes(field, counted, prefix),
    valueBytes(field, value, encoding, filler),
  ]);
}

function valueBytes(
  field: number,
  value: string,
  encoding: WireFormat['encoding'],
  filler: WireFormat['filler'],
): Buffer {
  switch (encoding) {
    case 'bcd':
    case 'track2': {
      const nibble = filler.slice(-1);
      const whole = value.length % 2 === 0 ? value : filler.startsWith('left') ? nibble + value : value + nibble;
      return Buffer.from(whole, 'hex');
    }
    case 'binary':
      return Buffer.from(value, 'hex');
    case 'hex':
      return textBytes(field, value, 'ascii');
    case 'hexEbcdic':
      return textBytes(field, value, 'ebcdic');
    default:
      return textBytes(field, value, encoding);
  }
}

function bytesOf(encoding: WireFormat['encoding'], units: number): number {
  if (encoding === 'bcd' || encoding === 'track2') return Math.ceil(units / 2);
  return encoding === 'hex' || encoding === 'hexEbcdic' ? 2 * units : units;
}

function unitsIn(encoding: WireFormat['encoding'], bytes: number): number {
  if (encoding === 'bcd' || encoding === 'track2') return 2 * bytes;
  return encoding === 'hex' || encoding === 'hexEbcdic' ? bytes / 2 : bytes;
}

/** The number of bytes of a prefix: three for 'ascii3', two for 'bcd3', two for 'binary2'. */
export function prefixBytes(prefix: string): number {
  const size = Number(prefix.slice(-1));
  return prefix.startsWith('bcd') ? Math.ceil(size / 2) : size;
}

function readNumber(cursor: Cursor, field: number, prefix: string): number {
  const number = numberIn(cursor.take(field, prefixBytes(prefix)), prefix);
  if (Number.isNaN(number)) throw new MalformedMessage(field, 'a length that is no number');
  return number;
}

/** Returns NaN for bytes that are not a number. */
export function numberIn(bytes: Buffer, prefix: string): number {
  if (prefix.startsWith('binary')) return bytes.readUIntBE(0, bytes.length);
  if (prefix.startsWith('bcd')) return decimal(bytes.toString('hex'));
  const text = fromPage(bytes, prefix.startsWith('ebcdic') ? 'ebcdic' : 'ascii');
  if (prefix.startsWith('hex')) return /^[\dA-Fa-f]+$/.test(text) ? Number.parseInt(text, 16) : Number.NaN;
  return decimal(text);
}

function decimal(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

export function numberBytes(field: number, number: number, prefix: string): Buffer {
  const size = Number(prefix.slice(-1));
  if (prefix.startsWith('binary')) {
    const bytes = Buffer.alloc(size);
    bytes.writeUIntBE(number, 0, size);
    return bytes;
  }
  if (prefix.startsWith('bcd')) return Buffer.from(number.toString().padStart(2 * Math.ceil(size / 2), '0'), 'hex');
  if (prefix.startsWith('hex')) return textBytes(field, number.toString(16).toUpperCase().padStart(size, '0'), 'ascii');
  return textBytes(field, number.toString().padStart(size, '0'), prefix.startsWith('ebcdic') ? 'ebcdic' : 'ascii');
}

function textBytes(field: number, text: string, page: Page): Buffer {
  const bytes = toPage(text, page);
  if (!bytes) throw new MalformedMessage(field, 'a character that the encoding does not have');
  return bytes;
}

function hexOf(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
