import { anyFieldSpecs, type FieldSpec } from './fields.ts';
import { partsOf } from './message.ts';

/**
 * By field number, 2 to 128 without 65: the bytes of a field in hexadecimal, whatever its format allows in it; null for a
 * field that is left out. The host writes the length of a variable field before them.
 */
export type ExtraFields = Readonly<Record<string, string | null>>;

/** What an answer's other fields leave of a frame. */
const bytesMax = 3500;

/** Throws RangeError with a sentence for the caller. */
export function checkExtraFields(extra: ExtraFields): void {
  let bytes = 0;
  for (const [name, hex] of Object.entries(extra)) {
    const spec = anyFieldSpecs.get(Number(name));
    if (!/^[1-9]\d{0,2}$/.test(name) || !spec) throw new RangeError('extraFields has fields 2 to 64 and 66 to 128');
    if (hex === null) continue;
    if (!/^(?:[\da-f]{2})*$/i.test(hex)) throw new RangeError(`field ${name} is null or bytes in hexadecimal`);
    checkLength(name, spec, hex.length / 2);
    bytes += hex.length / 2;
  }
  if (bytes > bytesMax) throw new RangeError(`extraFields has at most ${bytesMax} bytes`);
}

function checkLength(name: string, spec: FieldSpec, length: number): void {
  if (!spec.prefix) {
    const size = isHalved(spec) ? Math.ceil(spec.length / 2) : spec.length;
    if (length !== size) throw new RangeError(`field ${name} has ${size} bytes`);
    return;
  }
  const most = prefixMax(spec.prefix);
  if (unitsOf(spec, length) > most) throw new RangeError(`the length of field ${name} can say ${most} at most`);
}

/** A packed message with these fields in it. Throws MalformedMessage for one that this host would not send. */
export function withExtraFields(message: Buffer, extra: ExtraFields): Buffer {
  const fields = new Map<number, Buffer>();
  let mti: Buffer = Buffer.alloc(0);
  let isWide = false;
  for (const { field, at, length } of partsOf(message, { answers: true })) {
    const bytes = message.subarray(at, at + length);
    if (field === 0) mti = bytes;
    else if (field === 1) isWide = length > 8;
    else fields.set(field, bytes);
  }
  for (const [name, hex] of Object.entries(extra)) {
    const field = Number(name);
    if (hex === null) fields.delete(field);
    else fields.set(field, packedField(field, Buffer.from(hex, 'hex')));
  }
  const numbers = [...fields.keys()].sort((a, b) => a - b);
  const bitmap = Buffer.alloc(isWide || numbers.some((number) => number > 64) ? 16 : 8);
  if (bitmap.length > 8) bitmap[0] = 0x80;
  for (const number of numbers) {
    const at = (number - 1) >> 3;
    bitmap[at] = (bitmap[at] ?? 0) | (0x80 >> ((number - 1) & 7));
  }
  return Buffer.concat([mti, bitmap, ...numbers.map((number) => fields.get(number) ?? Buffer.alloc(0))]);
}

function packedField(field: number, bytes: Buffer): Buffer {
  const spec = anyFieldSpecs.get(field);
  if (!spec?.prefix) return bytes;
  const digits = unitsOf(spec, bytes.length)
    .toString()
    .padStart(spec.prefix === 'LL' ? 2 : 4, '0');
  return Buffer.concat([Buffer.from(digits, 'hex'), bytes]);
}

/** Digits and nibbles are counted, not their bytes. */
function unitsOf(spec: FieldSpec, bytes: number): number {
  return isHalved(spec) ? 2 * bytes : bytes;
}

function isHalved({ packing }: FieldSpec): boolean {
  return packing === 'n' || packing === 'z';
}

function prefixMax(prefix: 'LL' | 'LLL'): number {
  return prefix === 'LL' ? 99 : 999;
}
