import { MalformedMessage } from '../message.ts';
import { numberIn, prefixBytes } from './packing.ts';

/** The values of a field, by their names in docs/acquirer.md: text, and bytes as hexadecimal. */
export type Values = Map<string, string>;

interface Sized {
  readonly size?: number;
  readonly pad?: 'zeros' | 'spaces';
  readonly as?: 'ascii' | 'ebcdic' | 'bcd';
  readonly prefix?: string;
}

type Content =
  | string
  | ({ readonly constant: string } & Sized)
  | { readonly hex: string }
  | ({ readonly value: string } & Sized)
  | ({ readonly setting: string } & Sized)
  | { readonly parts: readonly Content[]; readonly prefix?: string }
  | {
      readonly objects: readonly { readonly tag: string; readonly content: Content }[];
      readonly tags: 'hex' | 'text';
      readonly lengths: string;
    };

/** Values of fixed length, with their number of characters. */
const sizes: Readonly<Record<string, number>> = {
  processingCode: 6,
  amount: 12,
  tip: 12,
  cash: 12,
  originalAmount: 12,
  currency: 3,
  currencyCode: 3,
  stan: 6,
  invoice: 6,
  batch: 6,
  time: 6,
  date: 4,
  year: 4,
  dateTimeUtc: 10,
  entryMode: 3,
  panSequence: 3,
  tid: 8,
  mid: 15,
  nii: 3,
  country: 3,
  rrn: 12,
  approvalCode: 6,
  hostTime: 6,
  hostDate: 4,
  originalType: 4,
  originalStan: 6,
  originalIfUnknown: 10,
  uploadNumber: 4,
  uploadCount: 4,
  netSign: 1,
};

const byteValues = new Set([
  'cardData',
  'ksn',
  'encryptedTrack2',
  'encryptedPan',
  'pinBlock',
  'wholePinBlock',
  'pinKsn',
  'emv',
]);

/** Decodes a field by its content. `isBytes`: it holds bytes, and `text` is hexadecimal. Throws MalformedMessage. */
export function readContent(field: number, content: unknown, text: string, isBytes: boolean): Values {
  const reader = new ContentReader(field, text, isBytes);
  reader.read(content as Content, true);
  if (reader.left > 0) throw new MalformedMessage(field, 'more than its content');
  return reader.values;
}

class ContentReader {
  readonly values: Values = new Map();
  readonly #field: number;
  readonly #isBytes: boolean;
  #rest: string;

  constructor(field: number, text: string, isBytes: boolean) {
    this.#field = field;
    this.#rest = text;
    this.#isBytes = isBytes;
  }

  get left(): number {
    return this.#rest.length;
  }

  /** `isLast`: nothing follows, so the content takes the rest of the text. */
  read(content: Content, isLast: boolean): void {
    if (typeof content === 'object' && 'parts' in content) this.#readParts(content, isLast);
    else if (typeof content === 'object' && 'objects' in content) this.#readObjects(content);
    else this.#readAtom(content, isLast);
  }

  #readParts({ parts, prefix }: Extract<Content, { parts: unknown }>, isLast: boolean): void {
    if (prefix === undefined) {
      for (const [at, part] of parts.entries()) this.read(part, isLast && at === parts.length - 1);
      return;
    }
    this.#within(this.#take(this.#lengthBy(prefix)), { parts });
  }

  #readObjects({ objects, tags, lengths }: Extract<Content, { objects: unknown }>): void {
    while (this.#rest !== '') {
      const found = objects.find(({ tag }) => this.#rest.toUpperCase().startsWith(this.#tagText(tag, tags)));
      if (!found) throw this.#malformed('a tag that is not of this dialect');
      this.#rest = this.#rest.slice(this.#tagText(found.tag, tags).length);
      this.#within(this.#take(lengths === 'ber' ? this.#berLength() : this.#lengthBy(lengths)), found.content);
    }
  }

  /** A tag as this text has it: hexadecimal in a field of bytes, and for tags that are hexadecimal. */
  #tagText(tag: string, tags: 'hex' | 'text'): string {
    if (tags === 'hex') return tag.toUpperCase();
    return this.#isBytes ? Buffer.from(tag, 'latin1').toString('hex').toUpperCase() : tag.toUpperCase();
  }

  #berLength(): number {
    const first = Number.parseInt(this.#take(2), 16);
    const units = first < 0x80 ? first : Number.parseInt(this.#take(2 * (first & 0x7f)), 16);
    // The text has two hexadecimal characters for each byte.
    return 2 * units;
  }

  #readAtom(content: Exclude<Content, { parts: unknown } | { objects: unknown }>, isLast: boolean): void {
    if (typeof content === 'object' && 'hex' in content) {
      if (this.#take(content.hex.length).toUpperCase() !== content.hex.toUpperCase())
        throw this.#malformed('another constant');
      return;
    }
    const sized: Sized = typeof content === 'string' ? {} : content;
    const name = typeof content === 'string' ? content : 'value' in content ? content.value : undefined;
    const constant = typeof content === 'object' && 'constant' in content ? content.constant : undefined;
    const units =
      sized.prefix === undefined ? this.#unitsOf(sized, name, constant, isLast) : this.#lengthBy(sized.prefix);
    const raw = this.#textOf(this.#take(units), sized.as ?? 'ascii', name !== undefined && byteValues.has(name));
    if (constant !== undefined && raw.trim() !== constant.trim()) throw this.#malformed('another constant');
    if (name !== undefined && raw.trim() !== '') this.values.set(name, this.#valueOf(name, raw));
  }

  /** The number of characters of an atom in the text. */
  #unitsOf({ size, as }: Sized, name: string | undefined, constant: string | undefined, isLast: boolean): number {
    const own = size ?? constant?.length ?? (isLast ? undefined : sizes[name ?? '']);
    if (own === undefined) return this.#rest.length;
    if (name !== undefined && byteValues.has(name)) return this.#isBytes ? 2 * own : own;
    if (!this.#isBytes) return own;
    return as === 'bcd' ? 2 * Math.ceil(own / 2) : 2 * own;
  }

  /** Decodes text in a field of bytes. */
  #textOf(text: string, as: 'ascii' | 'ebcdic' | 'bcd', holdsBytes: boolean): string {
    if (!this.#isBytes || holdsBytes || as === 'bcd') return text;
    return Buffer.from(text, 'hex').toString('latin1');
  }

  /** A number in its usual size, with leading zeros added or removed. */
  #valueOf(name: string, raw: string): string {
    const size = sizes[name];
    if (byteValues.has(name)) return raw.toUpperCase();
    if (size === undefined || !/^ *\d+ *$/.test(raw) || raw.trim().length === size) return raw.trimEnd();
    return raw.trim().replace(/^0+/, '').padStart(size, '0');
  }

  #lengthBy(prefix: string): number {
    const bytes = prefixBytes(prefix);
    const text = this.#take(this.#isBytes ? 2 * bytes : Number(prefix.slice(-1)));
    const number = this.#isBytes
      ? numberIn(Buffer.from(text, 'hex'), prefix)
      : Number.parseInt(text, prefix.startsWith('hex') ? 16 : 10);
    if (Number.isNaN(number)) throw this.#malformed('a length that is no number');
    return this.#isBytes ? 2 * number : number;
  }

  #within(text: string, content: Content): void {
    const inner = new ContentReader(this.#field, text, this.#isBytes);
    inner.read(content, true);
    if (inner.left > 0) throw this.#malformed('more than its content');
    for (const [name, value] of inner.values) this.values.set(name, value);
  }

  #take(units: number): string {
    if (units > this.#rest.length) throw this.#malformed('ends inside its content');
    const taken = this.#rest.slice(0, units);
    this.#rest = this.#rest.slice(units);
    return taken;
  }

  #malformed(why: string): MalformedMessage {
    return new MalformedMessage(this.#field, why);
  }
}
