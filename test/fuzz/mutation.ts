import * as fc from 'fast-check';

export interface Material {
  /** Valid inputs, which are changed. */
  readonly seeds: readonly Uint8Array[];
  /** What is put into them, and strung together. */
  readonly tokens: readonly Uint8Array[];
  /** What may enclose itself: an opening and a closing piece. */
  readonly nests?: readonly (readonly [open: string, close: string])[];
}

/** So long, an input passes every limit of length that there is. */
const bytesMax = 70_000;

const kinds = [
  'flip',
  'set',
  'add',
  'cut',
  'drop',
  'repeat',
  'insert',
  'replace',
  'value',
  'member',
  'splice',
] as const;
/** Where there are fields, most of what can go wrong is in a field. */
const moreOfFields = ['value', 'value', 'value', 'member'] as const;
/** Names that an object has already, or that no reader should know. */
const memberNames = ['__proto__', 'constructor', 'toString', 'toJSON', 'length', '', 'a'] as const;
type Kind = (typeof kinds)[number];

/** Bytes that a length, a count or a tag breaks at. */
const edges = [0x00, 0x01, 0x1f, 0x7f, 0x80, 0x81, 0x82, 0x83, 0x84, 0xfe, 0xff] as const;

/** Valid messages changed in up to eight places; pieces strung together; deep nesting; and bytes of nothing. */
export function hostile(material: Material): fc.Arbitrary<Uint8Array> {
  const { seeds, tokens, nests = [] } = material;
  const weighed = nests.length > 0 ? [...kinds, ...moreOfFields] : kinds;
  const change = fc.tuple(fc.constantFrom(...weighed), fc.nat(0xffff), fc.nat(0xff));
  const changed = fc
    .tuple(fc.nat(seeds.length - 1), fc.array(change, { maxLength: 8 }))
    .map(([seed, changes]) =>
      changes.reduce<Uint8Array>((bytes, each) => altered(bytes, each, material), seeds[seed] ?? new Uint8Array()),
    );
  const strung = fc.array(fc.constantFrom(...tokens), { maxLength: 24 }).map((parts) => Buffer.concat(parts));
  const raw = fc.uint8Array({ maxLength: 200 });
  const nested = nests.map(([open, close]) =>
    fc
      .tuple(fc.nat(32_000), fc.constantFrom(...tokens), fc.boolean())
      .map(([depth, core, closed]) =>
        Buffer.concat([
          Buffer.from(open.repeat(depth), 'latin1'),
          core,
          Buffer.from(closed ? close.repeat(depth) : '', 'latin1'),
        ]),
      ),
  );
  return fc.oneof(
    { weight: 60, arbitrary: changed },
    { weight: 20, arbitrary: strung },
    { weight: 19, arbitrary: raw },
    ...nested.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

function altered(bytes: Uint8Array, [kind, where, what]: [Kind, number, number], material: Material): Uint8Array {
  const at = bytes.length === 0 ? 0 : where % bytes.length;
  const token = pick(material.tokens, what);
  switch (kind) {
    case 'flip':
      return withByte(bytes, at, (byte) => byte ^ (1 << (what & 7)));
    case 'set':
      return withByte(bytes, at, () => edges[what % edges.length] ?? what);
    case 'add':
      return withByte(bytes, at, (byte) => (byte + what) & 0xff);
    case 'cut':
      return bytes.subarray(0, at);
    case 'drop':
      return spliced(bytes, at, (what & 0x0f) + 1, new Uint8Array());
    case 'repeat': {
      const part = bytes.subarray(at, at + what);
      return spliced(bytes, at, 0, Buffer.concat(Array.from({ length: (where & 7) + 1 }, () => part)));
    }
    case 'insert':
      return spliced(bytes, at, 0, token);
    case 'replace':
      return spliced(bytes, at, token.length, token);
    case 'value':
      return withValue(bytes, where, token);
    case 'member':
      return withMember(bytes, where, memberNames[what % memberNames.length] ?? '', token);
    case 'splice':
      return Buffer.concat([bytes.subarray(0, at), pick(material.seeds, what).subarray(at)]).subarray(0, bytesMax);
    default:
      return kind satisfies never;
  }
}

function pick(from: readonly Uint8Array[], which: number): Uint8Array {
  return from[which % from.length] ?? new Uint8Array();
}

function withByte(bytes: Uint8Array, at: number, change: (byte: number) => number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (at < copy.length) copy[at] = change(copy[at] ?? 0);
  return copy;
}

function spliced(bytes: Uint8Array, at: number, dropped: number, put: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + dropped)]).subarray(0, bytesMax);
}

/** A value of a JSON object, or of a header line: from behind a colon to what ends it. */
function withValue(bytes: Uint8Array, which: number, token: Uint8Array): Uint8Array {
  const colons = Array.from(bytes.keys()).filter((at) => bytes[at] === 0x3a);
  const colon = colons[which % colons.length];
  if (colon === undefined) return bytes;
  let end = colon + 1;
  while (end < bytes.length && !',}]\r\n'.includes(String.fromCharCode(bytes[end] ?? 0))) end++;
  return spliced(bytes, colon + 1, end - colon - 1, token);
}

/** One more field of a JSON object, its first. */
function withMember(bytes: Uint8Array, which: number, name: string, token: Uint8Array): Uint8Array {
  const braces = Array.from(bytes.keys()).filter((at) => bytes[at] === 0x7b);
  const brace = braces[which % braces.length];
  if (brace === undefined) return bytes;
  return spliced(bytes, brace + 1, 0, Buffer.concat([Buffer.from(`"${name}":`), token, Buffer.from(',')]));
}
