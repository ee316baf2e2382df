import type { Field } from '../frame.ts';
import { field } from './field.ts';

const depthMax = 16;

/**
 * The fields of a JSON document that stands from `at` to `end`: each name with its value, and where the value begins.
 * Undefined if it is none. `isSecret`: names whose values must not be shown.
 */
export function jsonFields(
  payload: Buffer,
  at: number,
  end: number,
  isSecret: (name: string) => boolean,
): Field[] | undefined {
  const text = payload.toString('utf8', at, end);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  return new Places(payload, at, end, isSecret).fieldsOf(parsed, 0);
}

/** Finds the members in the text, in their order: JSON.parse keeps it, except of names that are numbers. */
class Places {
  readonly #payload: Buffer;
  readonly #end: number;
  readonly #isSecret: (name: string) => boolean;
  #next: number;

  constructor(payload: Buffer, at: number, end: number, isSecret: (name: string) => boolean) {
    this.#payload = payload;
    this.#next = at;
    this.#end = end;
    this.#isSecret = isSecret;
  }

  fieldsOf(value: object, depth: number): Field[] {
    const isList = Array.isArray(value);
    return Object.entries(value).map(([name, each]: [string, unknown]) =>
      this.#field(isList ? `[${name}]` : name, isList ? undefined : name, each, depth),
    );
  }

  #field(title: string, key: string | undefined, value: unknown, depth: number): Field {
    const keyText = key === undefined ? '' : JSON.stringify(key);
    const at = key === undefined ? this.#next : this.#find(keyText);
    this.#next = at + Buffer.byteLength(keyText);
    if (typeof value === 'object' && value !== null && depth < depthMax) {
      const fields = this.fieldsOf(value, depth + 1);
      return field(this.#payload, title, at, this.#next - at, { value: '', fields });
    }
    const literal = JSON.stringify(value);
    const valueAt = this.#find(literal);
    this.#next = valueAt + Buffer.byteLength(literal);
    const text = typeof value === 'string' ? value : literal;
    const place = field(this.#payload, title, at, this.#next - at, { value: text });
    return this.#isSecret(title) ? { ...place, value: '••••', meaning: 'hidden', secret: true } : place;
  }

  /** A name or value that is escaped differently is not found: then the position where the search began is returned. */
  #find(text: string): number {
    const found = this.#payload.indexOf(text, this.#next, 'utf8');
    return found < 0 || found >= this.#end ? this.#next : found;
  }
}
