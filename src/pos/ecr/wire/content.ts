import { createHash } from 'node:crypto';
import { JsonNumber } from '../../contracts/pos-calls.ts';

/** A value of a request: a number keeps its digits. */
export interface EcrValue {
  readonly kind: 'text' | 'number';
  readonly text: string;
}

/** The fields of a request, by name. */
export type EcrContent = ReadonlyMap<string, EcrValue>;

/** A request of the published interface has at most eight fields. */
const fieldsMax = 16;
const charactersMax = 512;
const name = /^[A-Za-z]\w{0,31}$/;
/** One field of a canonical text: a text in single quotes, or a number. */
const field = /([A-Za-z]\w{0,31})=(?:'([^']*)'|(-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?))([,}])/y;

/**
 * The text that is signed: fields in ascending order of their names, texts in single quotes, numbers as they are
 * written (QFPay/docs@3943715, docs/pos/ecr.md, "Generate signature").
 */
export function canonicalText(content: EcrContent): string {
  const fields = [...content]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { kind, text }]) => (kind === 'text' ? `${key}='${text}'` : `${key}=${text}`));
  return `{${fields.join(',')}}`;
}

/**
 * Reads a canonical text. Nothing in it is escaped, so a text with a quote could be read in two ways: it is refused. So
 * are fields that are not in ascending order, and therefore a name that occurs twice. Undefined if it is not canonical.
 */
export function parseCanonical(text: string): EcrContent | undefined {
  const content = new Map<string, EcrValue>();
  if (text === '{}') return content;
  if (!text.startsWith('{')) return undefined;
  let last = '';
  field.lastIndex = 1;
  for (let found = field.exec(text); found; found = field.exec(text)) {
    const [, key = '', quoted, number = '', end] = found;
    const value: EcrValue = quoted === undefined ? { kind: 'number', text: number } : { kind: 'text', text: quoted };
    if (key <= last || value.text.length > charactersMax || content.size === fieldsMax) return undefined;
    content.set(key, value);
    last = key;
    if (end === '}') return field.lastIndex === text.length ? content : undefined;
  }
  return undefined;
}

/** The content of an object that was read as JSON; undefined if it has anything but texts, numbers and null. */
export function contentOf(json: unknown): EcrContent | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || json instanceof JsonNumber) return undefined;
  const content = new Map<string, EcrValue>();
  for (const [key, value] of Object.entries(json)) {
    const read = valueOf(value);
    if (!read || !name.test(key) || read.text.length > charactersMax || content.size === fieldsMax) return undefined;
    content.set(key, read);
  }
  return content;
}

/** Null is signed as an empty text. */
function valueOf(value: unknown): EcrValue | undefined {
  if (value === null) return { kind: 'text', text: '' };
  if (typeof value === 'string') return { kind: 'text', text: value };
  return value instanceof JsonNumber ? { kind: 'number', text: value.source } : undefined;
}

/** Equal for equal requests. */
export function fingerprintOf(content: EcrContent): string {
  return createHash('sha256').update(canonicalText(content)).digest('base64url');
}
