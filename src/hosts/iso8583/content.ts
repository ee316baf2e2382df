import { ebcdic } from '../../codecs/iso8583/characters.ts';
import { MessageWriter } from '../../codecs/iso8583/encoding.ts';
import { prefixDigits } from '../../codecs/iso8583/length.ts';
import { encodeTlv } from '../../codecs/emv/tlv.ts';
import type { Content, Objects, Parts } from './dialects/content-schema.ts';
import { countValues, identityValues, type ValueName } from './dialects/values.ts';
import { prefixOf } from './wire.ts';

/** The values of one message. Absent and undefined are the same. */
export type Values = Readonly<Partial<Record<ValueName, string | Uint8Array | undefined>>>;

/** The data from which contents are built. */
export interface Material {
  readonly values: Values;
  /** acquirers[].values */
  readonly settings: Readonly<Record<string, string>>;
}

/** The kind and size of a field. */
export interface Room {
  readonly holdsBytes: boolean;
  /** The fixed number of units; undefined after a length prefix. */
  readonly size: number | undefined;
}

/** The value of a field; undefined if all its values are absent. Throws RangeError if it does not fit. */
export function fieldValue(content: Content, material: Material, room: Room): string | Uint8Array | undefined {
  const { holdsBytes, size } = room;
  const value = evaluate(content, material, holdsBytes);
  const pad = fieldPadOf(content);
  return value === undefined || size === undefined || pad === undefined ? value : fit(value, size, pad);
}

/** What fills the rest of a field of a fixed length; undefined if its value must have that length. */
function fieldPadOf(content: Content): 'zeros' | 'spaces' | undefined {
  if (typeof content === 'object' && 'pad' in content) return content.pad;
  const name = typeof content === 'string' ? content : 'value' in content ? content.value : undefined;
  if (name === undefined) return undefined;
  if (countValues.includes(name)) return 'zeros';
  return identityValues.includes(name) ? 'spaces' : undefined;
}

type Chunk = string | Uint8Array;

function evaluate(content: Content, material: Material, toBytes: boolean): Chunk | undefined {
  if (typeof content === 'object' && 'parts' in content) return joinParts(content, material, toBytes);
  if (typeof content === 'object' && 'objects' in content) return joinObjects(content, material, toBytes);
  if (typeof content === 'object' && 'hex' in content)
    return convert(Buffer.from(content.hex, 'hex'), toBytes, 'ascii');
  const sized: Partial<Sized> = typeof content === 'string' ? {} : content;
  const raw = chunkOf(content, material);
  if (raw === undefined) return undefined;
  const { size, pad, as = 'ascii', prefix } = sized;
  const resized = size === undefined || raw instanceof Uint8Array ? raw : fit(raw, size, pad ?? padOf(raw));
  const chunk = convert(resized, toBytes, as);
  const whole = size !== undefined && raw instanceof Uint8Array ? fit(chunk, size, 'zeros') : chunk;
  return prefix === undefined ? whole : withPrefix(whole, prefix);
}

type Atom = Exclude<Content, Parts | Objects>;
type Sized = Extract<Atom, { readonly value: unknown }>;

function chunkOf(content: Atom, { values, settings }: Material): Chunk | undefined {
  if (typeof content === 'string') return values[content];
  if ('constant' in content) return content.constant;
  if ('value' in content) return values[content.value];
  if ('setting' in content) return settings[content.setting];
  return undefined;
}

/** A number is padded with zeros before it, text with spaces after it. */
function padOf(text: string): 'zeros' | 'spaces' {
  return /^\d*$/.test(text) ? 'zeros' : 'spaces';
}

/** Pads to exactly `size` units. Throws RangeError for a longer value. */
function fit(value: Chunk, size: number, pad: 'zeros' | 'spaces'): Chunk {
  if (value.length === size) return value;
  if (typeof value !== 'string') {
    if (value.length > size) throw new RangeError(`more than ${size} bytes`);
    return Buffer.concat([new Uint8Array(size - value.length), value]);
  }
  if (pad === 'spaces') {
    if (value.length > size) throw new RangeError(`more than ${size} characters`);
    return value.padEnd(size, ' ');
  }
  const digits = value.length > size ? value.replace(new RegExp(`^0{1,${value.length - size}}`), '') : value;
  if (digits.length > size) throw new RangeError(`more than ${size} digits`);
  return digits.padStart(size, '0');
}

/** Converts text for a field of bytes, or bytes for a field of text. */
function convert(chunk: Chunk, toBytes: boolean, as: 'ascii' | 'ebcdic' | 'bcd'): Chunk {
  if (!toBytes) return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('hex').toUpperCase();
  if (typeof chunk !== 'string') return chunk;
  if (as === 'ebcdic') return ebcdicBytes(chunk);
  if (as === 'ascii') return Buffer.from(chunk, 'latin1');
  if (!/^\d*$/.test(chunk)) throw new RangeError('only digits can be packed two to a byte');
  return Buffer.from(chunk.length % 2 === 0 ? chunk : `0${chunk}`, 'hex');
}

function ebcdicBytes(text: string): Uint8Array {
  const writer = new MessageWriter();
  ebcdic('ebcdic').write(text, writer, 0);
  return writer.written();
}

function withPrefix(chunk: Chunk, prefix: string): Chunk {
  const { kind, size } = prefixOf(prefix);
  const digits = prefixDigits(kind, size);
  if (chunk.length > digits.greatest) throw new RangeError(`more than ${digits.greatest} behind ${prefix}`);
  if (typeof chunk === 'string') {
    return (
      chunk.length
        .toString(kind === 'hex' ? 16 : 10)
        .toUpperCase()
        .padStart(size, '0') + chunk
    );
  }
  const number = new Uint8Array(digits.bytes);
  digits.write(chunk.length, number, 0);
  return Buffer.concat([number, chunk]);
}

/** Absent if all its values are absent; otherwise an absent value of fixed size is padded. */
function joinParts({ parts, prefix }: Parts, material: Material, toBytes: boolean): Chunk | undefined {
  if (parts.some(canBeAbsent) && parts.every((each) => isConstant(each) || !isPresent(each, material)))
    return undefined;
  const chunks = parts.map((each) => evaluate(each, material, toBytes) ?? blankOf(each, toBytes));
  const joined = concat(chunks, toBytes);
  return prefix === undefined ? joined : withPrefix(joined, prefix);
}

function isConstant(content: Content): boolean {
  return typeof content === 'object' && ('constant' in content || 'hex' in content);
}

function canBeAbsent(content: Content): boolean {
  return !isConstant(content);
}

function isPresent(content: Content, material: Material): boolean {
  if (typeof content === 'object' && 'parts' in content) return content.parts.some((each) => isPresent(each, material));
  if (typeof content === 'object' && 'objects' in content) {
    return content.objects.some((each) => isPresent(each.content, material));
  }
  if (isConstant(content)) return false;
  return chunkOf(content, material) !== undefined;
}

/** The padding for an absent part of a template. */
function blankOf(content: Content, toBytes: boolean): Chunk {
  const empty = toBytes ? new Uint8Array(0) : '';
  if (typeof content === 'string' || !('size' in content) || content.size === undefined) {
    const hasPrefix = typeof content === 'object' && 'prefix' in content && content.prefix !== undefined;
    return hasPrefix ? withPrefix(empty, content.prefix ?? '') : empty;
  }
  const { size, pad = 'spaces', as = 'ascii' } = content;
  const blank = convert((pad === 'zeros' ? '0' : ' ').repeat(size), toBytes, as);
  return content.prefix === undefined ? blank : withPrefix(blank, content.prefix);
}

function concat(chunks: readonly Chunk[], toBytes: boolean): Chunk {
  return toBytes ? Buffer.concat(chunks as readonly Uint8Array[]) : chunks.join('');
}

/** Tag, length and value of each object that is present. */
function joinObjects({ objects, tags, lengths }: Objects, material: Material, toBytes: boolean): Chunk | undefined {
  const present = objects.flatMap(({ tag, content }) => {
    if (!isConstant(content) && !isPresent(content, material)) return [];
    const value = evaluate(content, material, toBytes);
    return value === undefined ? [] : [{ tag, value, isOwn: !isConstant(content) }];
  });
  if (!present.some(({ isOwn }) => isOwn) && objects.some(({ content }) => canBeAbsent(content))) return undefined;
  if (lengths === 'ber') {
    const bytes = encodeTlv(present.map(({ tag, value }) => [tag, convert(value, true, 'ascii') as Uint8Array]));
    return convert(bytes, toBytes, 'ascii');
  }
  const chunks = present.map(({ tag, value }) => {
    const name = tags === 'hex' ? convert(Buffer.from(tag, 'hex'), toBytes, 'ascii') : convert(tag, toBytes, 'ascii');
    return concat([name, withPrefix(value, lengths)], toBytes);
  });
  return concat(chunks, toBytes);
}
