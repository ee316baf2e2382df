/**
 * BER-TLV data objects as EMV codes them (EMV 4.3 Book 3, Annex B; ISO/IEC 8825-1): tags of up to four bytes, definite
 * lengths only, zero bytes between objects without meaning.
 */

export type TlvErrorCode =
  | 'truncated'
  | 'bad-tag'
  | 'indefinite-length'
  | 'bad-length'
  | 'too-deep'
  | 'too-many'
  | 'duplicate'
  | 'too-large';

/** Names the place and the rule, never the content: it may have come from a card. */
export class TlvError extends Error {
  override readonly name = 'TlvError';
  readonly code: TlvErrorCode;
  /** Bytes from the start of the parsed data; 0 when encoding. */
  readonly offset: number;

  constructor(code: TlvErrorCode, offset: number) {
    super(`BER-TLV ${code} at byte ${offset}`);
    this.code = code;
    this.offset = offset;
  }
}

/** One data object. `value` is a view of the parsed bytes, not a copy. */
export interface Tlv {
  /** Upper-case hex: '9F26'. */
  readonly tag: string;
  readonly value: Uint8Array;
  /** Where the tag begins, in bytes from the start of the parsed data. */
  readonly offset: number;
}

/** A constructed object is followed by its children, one level deeper. */
export interface NestedTlv extends Tlv {
  /** 0 for objects at the top. */
  readonly depth: number;
}

const tagBytesMax = 4;
const lengthBytesMax = 3;
const depthMax = 8;
const objectsMax = 512;
const valueBytesMax = 0xffff;

interface Read<Value> {
  readonly value: Value;
  /** The first byte after it. */
  readonly next: number;
}

/** Reads the tag at `offset`, as upper-case hex. */
export function readTag(bytes: Uint8Array, offset: number): Read<string> {
  let next = offset;
  let byte = byteAt(bytes, next++, offset);
  if (byte === 0) throw new TlvError('bad-tag', offset);
  if ((byte & 0x1f) === 0x1f) {
    byte = byteAt(bytes, next++, offset);
    // A tag number may not begin with seven zero bits: ISO/IEC 8825-1, 8.1.2.4.2.
    if (byte === 0x80) throw new TlvError('bad-tag', offset);
    while ((byte & 0x80) !== 0) {
      if (next - offset >= tagBytesMax) throw new TlvError('bad-tag', offset);
      byte = byteAt(bytes, next++, offset);
    }
  }
  return { value: hex(bytes.subarray(offset, next)), next };
}

/**
 * Reads the length at `offset`, in bytes. Longer forms than necessary are accepted, as ISO/IEC 8825-1, 8.1.3.5 allows.
 */
export function readLength(bytes: Uint8Array, offset: number): Read<number> {
  const first = byteAt(bytes, offset, offset);
  if (first < 0x80) return { value: first, next: offset + 1 };
  if (first === 0x80) throw new TlvError('indefinite-length', offset);
  const count = first & 0x7f;
  if (count > lengthBytesMax) throw new TlvError('bad-length', offset);
  let value = 0;
  for (let i = 1; i <= count; i++) value = value * 0x100 + byteAt(bytes, offset + i, offset);
  return { value, next: offset + 1 + count };
}

/** The `length` bytes of a value at `offset`, as a view. */
export function readValue(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (length > valueBytesMax) throw new TlvError('too-large', offset);
  if (offset + length > bytes.length) throw new TlvError('truncated', offset);
  return bytes.subarray(offset, offset + length);
}

/** Bit 6 of the first tag byte: the value is a list of data objects (EMV 4.3 Book 3, Annex B1). */
export function isConstructed(tag: string): boolean {
  return (Number.parseInt(tag.slice(0, 2), 16) & 0x20) !== 0;
}

/** Whether the byte at `offset`, where a tag could begin, is padding. */
export type IsPadding = (bytes: Uint8Array, offset: number) => boolean;

/** Zero bytes before, between and behind objects mean nothing: EMV 4.3 Book 3, Annex B1. */
export const isZero: IsPadding = (bytes, offset) => bytes[offset] === 0;

/** The data objects at the top level of `bytes`; constructed ones are not opened. Throws TlvError. */
export function parseTlv(bytes: Uint8Array, isPadding: IsPadding = isZero): Tlv[] {
  const objects: Tlv[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (isPadding(bytes, at)) {
      at++;
      continue;
    }
    if (objects.length >= objectsMax) throw new TlvError('too-many', at);
    const tag = readTag(bytes, at);
    const length = readLength(bytes, tag.next);
    objects.push({ tag: tag.value, value: readValue(bytes, length.next, length.value), offset: at });
    at = length.next + length.value;
  }
  return objects;
}

/**
 * All data objects, depth first, including those inside constructed ones. Throws TlvError before the first is yielded.
 */
export function* walkTlv(bytes: Uint8Array): Generator<NestedTlv, void, undefined> {
  const found: NestedTlv[] = [];
  collect(bytes, 0, 0, found);
  yield* found;
}

function collect(bytes: Uint8Array, base: number, depth: number, into: NestedTlv[]): void {
  if (depth >= depthMax) throw new TlvError('too-deep', base);
  for (const object of relative(bytes, base)) {
    if (into.length >= objectsMax) throw new TlvError('too-many', object.offset);
    into.push({ ...object, depth });
    if (!isConstructed(object.tag)) continue;
    const inside = object.value.byteOffset - bytes.byteOffset;
    collect(object.value, base + inside, depth + 1, into);
  }
}

/** Parses with offsets from the outermost start, so that an error points into the caller's data. */
function relative(bytes: Uint8Array, base: number): Tlv[] {
  try {
    return parseTlv(bytes).map((object) => ({ ...object, offset: object.offset + base }));
  } catch (error) {
    if (error instanceof TlvError) throw new TlvError(error.code, error.offset + base);
    throw error;
  }
}

/** The top-level objects by tag, values copied. A repeated tag is refused, because neither could be trusted. */
export function tlvMap(bytes: Uint8Array): Map<string, Uint8Array> {
  const map = new Map<string, Uint8Array>();
  for (const { tag, value, offset } of parseTlv(bytes)) {
    if (map.has(tag)) throw new TlvError('duplicate', offset);
    map.set(tag, Uint8Array.from(value));
  }
  return map;
}

/** Encodes objects in the order given, with the shortest lengths. A map of EMV data can be passed as it is. */
export function encodeTlv(objects: Iterable<readonly [tag: string, value: Uint8Array]>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [tag, value] of objects) parts.push(tagBytes(tag), lengthBytes(value.length), value);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function tagBytes(tag: string): Uint8Array {
  if (!/^(?:[0-9A-F]{2}){1,4}$/.test(tag)) throw new TlvError('bad-tag', 0);
  const bytes = Uint8Array.from(Buffer.from(tag, 'hex'));
  let next: number;
  try {
    next = readTag(bytes, 0).next;
  } catch {
    throw new TlvError('bad-tag', 0);
  }
  if (next !== bytes.length) throw new TlvError('bad-tag', 0);
  return bytes;
}

function lengthBytes(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  if (length <= 0xff) return Uint8Array.of(0x81, length);
  if (length <= valueBytesMax) return Uint8Array.of(0x82, length >> 8, length & 0xff);
  throw new TlvError('too-large', 0);
}

function byteAt(bytes: Uint8Array, at: number, start: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new TlvError('truncated', start);
  return byte;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase();
}
