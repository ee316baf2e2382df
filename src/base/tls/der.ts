/** The parts of the Distinguished Encoding Rules (ITU-T X.690, 10) that a certificate needs. */

/** Tag, length and value. */
export function der(tag: number, ...values: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(values);
  return Buffer.concat([Uint8Array.of(tag), lengthOf(value.length), value]);
}

/** Short form up to 127; longer values begin with the number of length bytes (X.690, 8.1.3). */
function lengthOf(bytes: number): Uint8Array {
  if (bytes < 0x80) return Uint8Array.of(bytes);
  if (bytes < 0x100) return Uint8Array.of(0x81, bytes);
  if (bytes < 0x1_0000) return Uint8Array.of(0x82, bytes >> 8, bytes & 0xff);
  throw new RangeError('longer than any certificate');
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const octets = (value: Uint8Array): Buffer => der(0x04, value);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const yes: Buffer = der(0x01, Uint8Array.of(0xff));

/** Context-specific: primitive for an implicit tag, constructed for an explicit one (X.690, 8.14). */
export const implicit = (tag: number, value: Uint8Array): Buffer => der(0x80 | tag, value);
export const explicit = (tag: number, value: Uint8Array): Buffer => der(0xa0 | tag, value);

/** A positive integer, big endian, in the fewest bytes. */
export function integer(value: Uint8Array): Buffer {
  const significant = value.findIndex((byte) => byte !== 0);
  const bytes = significant < 0 ? Uint8Array.of(0) : value.subarray(significant);
  return (bytes[0] ?? 0) >= 0x80 ? der(0x02, Uint8Array.of(0), bytes) : der(0x02, bytes);
}

/** An object identifier: '1.2.840.10045.4.3.2' (X.690, 8.19). */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const groups = [arc & 0x7f];
  for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}

/** `unused`: the number of unused bits at the end. */
export const bits = (value: Uint8Array, unused = 0): Buffer => der(0x03, Uint8Array.of(unused), value);

/** UTCTime up to 2049, then GeneralizedTime (RFC 5280, 4.1.2.5). `text` is 'YYYYMMDDhhmmssZ'. */
export function time(text: string): Buffer {
  return text < '2050' ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}
