/** BER-TLV (ISO/IEC 8825-1; EMV 4.3 Book 3, annex B) with definite lengths of up to three octets. */
export interface DataObject {
  /** Upper-case hex: '9F02'. */
  readonly tag: string;
  readonly value: Buffer;
}

const valueBytesMax = 0xffff;

export function encodeObject(tag: string, value: Buffer): Buffer {
  return Buffer.concat([tagBytes(tag), lengthBytes(value.length), value]);
}

export function tagBytes(tag: string): Buffer {
  if (!/^(?:[0-9A-F]{2}){1,4}$/.test(tag)) throw new RangeError(`'${tag}' is no tag`);
  return Buffer.from(tag, 'hex');
}

export function lengthBytes(length: number): Buffer {
  if (length > valueBytesMax) throw new RangeError(`a data object of ${length} bytes`);
  if (length < 0x80) return Buffer.of(length);
  if (length <= 0xff) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}

/** Where the object at a position stands. */
export interface ObjectPlace {
  readonly tag: string;
  readonly tagEnd: number;
  readonly valueAt: number;
  readonly end: number;
}

/** The data objects of a list, one level deep; undefined unless all bytes form such a list. */
export function decodeObjects(bytes: Buffer): DataObject[] | undefined {
  const objects: DataObject[] = [];
  let at = 0;
  while (at < bytes.length) {
    const place = objectAt(bytes, at);
    if (place === undefined) return undefined;
    objects.push({ tag: place.tag, value: Buffer.from(bytes.subarray(place.valueAt, place.end)) });
    at = place.end;
  }
  return objects;
}

/**
 * The whole object that begins at a position; undefined if there is none. `markers`: bytes that may stand between tag
 * and length, where a maker puts one.
 */
export function objectAt(bytes: Buffer, at: number, markers: readonly number[] = []): ObjectPlace | undefined {
  const tagEnd = endOfTag(bytes, at);
  if (tagEnd === undefined || tagEnd > bytes.length) return undefined;
  const marked = markers.includes(bytes[tagEnd] ?? -1);
  const length = lengthAt(bytes, tagEnd + (marked ? 1 : 0));
  if (length === undefined || length.end + length.value > bytes.length) return undefined;
  const tag = bytes.toString('hex', at, tagEnd).toUpperCase();
  return { tag, tagEnd, valueAt: length.end, end: length.end + length.value };
}

function endOfTag(bytes: Buffer, at: number): number | undefined {
  let end = at + 1;
  if (((bytes[at] ?? 0) & 0x1f) !== 0x1f) return end;
  for (; end < at + 4; end++) {
    const byte = bytes[end];
    if (byte === undefined) return undefined;
    if ((byte & 0x80) === 0) return end + 1;
  }
  return undefined;
}

function lengthAt(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, end: at + 1 };
  const octets = first & 0x7f;
  const end = at + 1 + octets;
  // 80 is the indefinite length, which EMV forbids.
  if (octets < 1 || octets > 2 || end > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at + 1, octets), end };
}
