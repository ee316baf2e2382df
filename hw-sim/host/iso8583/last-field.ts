import { fromPage, toPage } from './dialect/codes.ts';
import { MalformedMessage } from './message.ts';

/** The encoding of the parts of a message that change when a last field is added. */
export interface MessageForm {
  readonly mti: 'bcd' | 'ascii' | 'ebcdic';
  readonly bitmap: 'binary' | 'hex' | 'hexEbcdic';
  /** Fields 64 and 128. */
  readonly bytes: 'binary' | 'hex' | 'hexEbcdic';
}

const bitmapBytes = 8;
const bitsEach = 64;

/** A message, split into its last field and the rest. */
export interface Parted {
  /** All bytes before the field, with its bit set in the bitmap: the input of an authentication code. */
  readonly before: Buffer;
  readonly value: Buffer;
  /** The message without the field. */
  readonly rest: Buffer;
}

export function mtiOf(message: Buffer, { mti }: MessageForm): string {
  return mti === 'bcd' ? message.subarray(0, 2).toString('hex') : fromPage(message.subarray(0, 4), mti);
}

/** Adds field 64 or 128 after the last field. `valueOf`: computes its 8 bytes from all bytes before it. */
export function withLast(message: Buffer, field: number, form: MessageForm, valueOf: (before: Buffer) => Buffer) {
  const { type, bits, body } = open(message, form);
  const wide =
    field > bitsEach && bits.length === bitmapBytes ? Buffer.concat([bits, Buffer.alloc(bitmapBytes)]) : bits;
  const before = Buffer.concat([type, written(marked(wide, field, true), form.bitmap), body]);
  return Buffer.concat([before, written(valueOf(before), form.bytes)]);
}

/** Removes field 64 or 128. Undefined for a message that does not end with it. Throws MalformedMessage. */
export function partLast(message: Buffer, field: number, form: MessageForm): Parted | undefined {
  const { type, bits, body } = open(message, form);
  if (lastOf(bits) !== field) return undefined;
  const size = bitmapBytes * (form.bytes === 'binary' ? 1 : 2);
  if (body.length < size) throw new MalformedMessage(field, 'ends inside it');
  const end = body.length - size;
  const value = read(field, body.subarray(end), form.bytes);
  const without = marked(bits, field, false);
  // An empty second bitmap is not sent.
  const kept = lastOf(without) > bitsEach ? without : marked(without.subarray(0, bitmapBytes), 1, false);
  return {
    before: message.subarray(0, message.length - size),
    value,
    rest: Buffer.concat([type, written(kept, form.bitmap), body.subarray(0, end)]),
  };
}

/** Splits a message into message type, bitmaps and fields. */
function open(message: Buffer, form: MessageForm): { type: Buffer; bits: Buffer; body: Buffer } {
  const start = form.mti === 'bcd' ? 2 : 4;
  const size = bitmapBytes * (form.bitmap === 'binary' ? 1 : 2);
  const first = read(1, message.subarray(start, start + size), form.bitmap);
  const isWide = ((first[0] ?? 0) & 0x80) !== 0;
  const end = start + (isWide ? 2 : 1) * size;
  if (first.length < bitmapBytes || message.length < end) throw new MalformedMessage(1, 'ends inside it');
  const bits = read(1, message.subarray(start, end), form.bitmap);
  return { type: message.subarray(0, start), bits, body: message.subarray(end) };
}

/** The highest field; 0 if there is none. */
function lastOf(bits: Buffer): number {
  for (let field = 8 * bits.length; field > 1; field--) {
    if (((bits[(field - 1) >> 3] ?? 0) & (0x80 >> ((field - 1) & 7))) !== 0) return field;
  }
  return 0;
}

function marked(bits: Buffer, field: number, isSet: boolean): Buffer {
  const changed = Buffer.from(bits);
  const at = (field - 1) >> 3;
  const bit = 0x80 >> ((field - 1) & 7);
  changed[at] = isSet ? (changed[at] ?? 0) | bit : (changed[at] ?? 0) & ~bit;
  if (changed.length > bitmapBytes) changed[0] = (changed[0] ?? 0) | 0x80;
  return changed;
}

function read(field: number, bytes: Buffer, how: MessageForm['bytes']): Buffer {
  if (how === 'binary') return Buffer.from(bytes);
  const text = fromPage(bytes, how === 'hex' ? 'ascii' : 'ebcdic');
  if (!/^(?:[\dA-Fa-f]{2})*$/.test(text)) throw new MalformedMessage(field, 'not hexadecimal');
  return Buffer.from(text, 'hex');
}

function written(bytes: Buffer, how: MessageForm['bytes']): Buffer {
  if (how === 'binary') return bytes;
  // Every code page has the hexadecimal digits.
  return toPage(bytes.toString('hex').toUpperCase(), how === 'hex' ? 'ascii' : 'ebcdic') as Buffer;
}
