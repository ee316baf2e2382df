import { anyFieldSpecs, type FieldSpec, fieldSpecs, type Packing } from './fields.ts';

/**
 * One message. Field values are text as fields.ts says: digits, track nibbles, characters, or upper-case hexadecimal.
 */
export interface Message {
  readonly mti: string;
  readonly fields: ReadonlyMap<number, string>;
}

/** Bytes that are no message, or a message that can't be packed. It says where and why, never the value. */
export class MalformedMessage extends Error {
  /** Number of the field, 0 for the message type, 1 for the bitmap. */
  readonly field: number;

  constructor(field: number, why: string) {
    super(`field ${field}: ${why}`);
    this.name = 'MalformedMessage';
    this.field = field;
  }
}

const mtiBytes = 2;
const bitmapBytes = 8;

/** One part of a message where it stands: 0 the message type, 1 the bitmaps, or a field with its length prefix. */
export interface Part {
  readonly field: number;
  /** As fields.ts says; bitmaps in upper-case hexadecimal. Of a field that breaks its format: escaped. */
  readonly value: string;
  /** First byte and number of bytes, within the message. */
  readonly at: number;
  readonly length: number;
}

/** Reads a whole message, without length and TPDU. Throws MalformedMessage, also for a cut or overlong one. */
export function decodeMessage(bytes: Buffer): Message {
  let mti = '';
  const fields = new Map<number, string>();
  for (const { field, value } of partsOf(bytes)) {
    if (field === 0) mti = value;
    else if (field > 1) fields.set(field, value);
  }
  return { mti, fields };
}

/**
 * The parts of a message in their order. Throws MalformedMessage once it comes to what is none. `answers`: a second bitmap
 * is no mistake, nor is any field or content of a host's answer, as long as it can be split.
 */
export function* partsOf(bytes: Buffer, { answers = false } = {}): Generator<Part> {
  const cursor = new Cursor(bytes);
  const mti = digitsOf(0, cursor.take(0, mtiBytes));
  yield { field: 0, value: mti, at: 0, length: mtiBytes };
  const foreign = answers && isAnswer(mti);
  let bitmap = cursor.take(1, bitmapBytes);
  if (answers && ((bitmap[0] ?? 0) & 0x80) !== 0) {
    bitmap = Buffer.concat([bitmap, cursor.take(1, bitmapBytes)]);
  }
  yield { field: 1, value: bitmap.toString('hex').toUpperCase(), at: mtiBytes, length: bitmap.length };
  for (const field of present(bitmap)) {
    if (field === 1 && answers) continue;
    const spec = (foreign ? anyFieldSpecs : fieldSpecs).get(field);
    if (!spec) throw new MalformedMessage(field, 'not of this dialect');
    const { left } = cursor;
    const value = decodeField(field, spec, cursor, foreign);
    yield { field, value, at: bytes.length - left, length: left - cursor.left };
  }
  if (cursor.left > 0) throw new MalformedMessage(0, `${cursor.left} bytes behind the last field`);
}

/**
 * Packs a message, without length and TPDU. `secondBitmap`: bit 1 is set, and an empty bitmap of fields 65 to 128
 * follows. Throws MalformedMessage for a value that its field can't hold.
 */
export function encodeMessage(message: Message, { secondBitmap = false } = {}): Buffer {
  if (!/^\d{4}$/.test(message.mti)) throw new MalformedMessage(0, 'a message type is four digits');
  const bitmap = Buffer.alloc(secondBitmap ? 2 * bitmapBytes : bitmapBytes);
  if (secondBitmap) bitmap.writeUInt8(0x80);
  const parts: Buffer[] = [Buffer.from(message.mti, 'hex'), bitmap];
  for (const [field, value] of [...message.fields].sort(([a], [b]) => a - b)) {
    const spec = fieldSpecs.get(field);
    if (!spec) throw new MalformedMessage(field, 'not of this dialect');
    const index = (field - 1) >> 3;
    bitmap.writeUInt8(bitmap.readUInt8(index) | (0x80 >> ((field - 1) & 7)), index);
    parts.push(encodeField(field, spec, value));
  }
  return Buffer.concat(parts);
}

/**
 * Numbers of the fields whose bit is set, ascending. Bit 1 would announce a second bitmap: refused in this dialect.
 */
function* present(bitmap: Buffer): Generator<number> {
  for (let field = 1; field <= bitmap.length * 8; field++) {
    if ((bitmap.readUInt8((field - 1) >> 3) & (0x80 >> ((field - 1) & 7))) !== 0) yield field;
  }
}

/** The third digit is the function: odd is an answer (ISO 8583:1987, message type identifier). */
function isAnswer(mti: string): boolean {
  return Number(mti.charAt(2)) % 2 === 1;
}

function decodeField(field: number, spec: FieldSpec, cursor: Cursor, foreign: boolean): string {
  const length = spec.prefix ? decodeLength(field, spec.prefix, cursor) : spec.length;
  if (length > spec.length && !foreign) throw new MalformedMessage(field, `longer than ${spec.length}`);
  const bytes = cursor.take(field, byteLength(spec.packing, length));
  try {
    return valueOf(field, spec, bytes, length);
  } catch (error) {
    if (foreign && error instanceof MalformedMessage) return escaped(spec.packing, bytes);
    throw error;
  }
}

/** Bytes that are not what their field should have, as printable text. */
function escaped(packing: Packing, bytes: Buffer): string {
  if (packing !== 'ans') return bytes.toString('hex').toUpperCase();
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[\x20-\x5b\x5d-\x7e]/.test(character)
      ? character
      : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }).join('');
}

function valueOf(field: number, spec: FieldSpec, bytes: Buffer, length: number): string {
  switch (spec.packing) {
    case 'n':
      return spec.prefix ? unpackLeft(field, digitsOf(field, bytes), length) : unpackRight(field, bytes, length);
    case 'z':
      return unpackLeft(field, trackOf(field, bytes), length);
    case 'ans':
      return textOf(field, bytes);
    case 'b':
      return bytes.toString('hex').toUpperCase();
    default:
      return spec.packing satisfies never;
  }
}

function encodeField(field: number, spec: FieldSpec, value: string): Buffer {
  if (!alphabets[spec.packing].test(value)) throw new MalformedMessage(field, `not ${spec.packing}`);
  const length = spec.packing === 'b' ? value.length / 2 : value.length;
  if (spec.prefix ? length > spec.length : length !== spec.length) {
    throw new MalformedMessage(field, `of length ${length}`);
  }
  const prefix = spec.prefix ? encodeLength(spec.prefix, length) : Buffer.alloc(0);
  return Buffer.concat([prefix, pack(spec, value)]);
}

function pack(spec: FieldSpec, value: string): Buffer {
  if (spec.packing === 'ans') return Buffer.from(value, 'latin1');
  if (value.length % 2 === 0) return Buffer.from(value, 'hex');
  return Buffer.from(spec.prefix ? `${value}0` : `0${value}`, 'hex');
}

/** Allowed characters: Buffer.from would silently skip others. */
const alphabets: Record<Packing, RegExp> = {
  n: /^\d*$/,
  z: /^[\dD]*$/,
  ans: /^[\x20-\x7e]*$/,
  b: /^(?:[\dA-F]{2})*$/,
};

function byteLength(packing: Packing, length: number): number {
  return packing === 'n' || packing === 'z' ? Math.ceil(length / 2) : length;
}

function decodeLength(field: number, prefix: 'LL' | 'LLL', cursor: Cursor): number {
  return Number(digitsOf(field, cursor.take(field, prefix === 'LL' ? 1 : 2)));
}

function encodeLength(prefix: 'LL' | 'LLL', length: number): Buffer {
  return Buffer.from(length.toString().padStart(prefix === 'LL' ? 2 : 4, '0'), 'hex');
}

function digitsOf(field: number, bytes: Buffer): string {
  const digits = bytes.toString('hex');
  if (!alphabets.n.test(digits)) throw new MalformedMessage(field, 'a nibble that is no digit');
  return digits;
}

function trackOf(field: number, bytes: Buffer): string {
  const nibbles = bytes.toString('hex').toUpperCase();
  if (!alphabets.z.test(nibbles)) throw new MalformedMessage(field, 'a nibble that is neither digit nor separator');
  return nibbles;
}

function textOf(field: number, bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (!alphabets.ans.test(text)) throw new MalformedMessage(field, 'a character that is not printable');
  return text;
}

function unpackRight(field: number, bytes: Buffer, length: number): string {
  const digits = digitsOf(field, bytes);
  if (digits.length > length && digits[0] !== '0') throw new MalformedMessage(field, 'a pad nibble that is not 0');
  return digits.slice(-length);
}

function unpackLeft(field: number, nibbles: string, length: number): string {
  if (nibbles.length > length && nibbles.at(-1) !== '0')
    throw new MalformedMessage(field, 'a pad nibble that is not 0');
  return nibbles.slice(0, length);
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(field: number, length: number): Buffer {
    if (length > this.left) throw new MalformedMessage(field, `${length} bytes wanted, ${this.left} left`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
