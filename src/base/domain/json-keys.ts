import type { Reason } from './reason.ts';

/** A key that may be repeated in an answer: it can't be a card number. */
export const harmless = /^[A-Za-z_]{1,64}$/;

/** `pointer`: its place (RFC 6901). */
export interface KeyFault {
  readonly pointer: string;
  readonly message: string;
  readonly reason: Reason;
}

interface Open {
  /** The keys of an object; undefined for an array. */
  readonly keys?: Set<string>;
  key: string;
  at: number;
  awaitsKey: boolean;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

/**
 * The first repeated key of an object in a JSON text, or `__proto__`. RFC 8259, 4, does not define which of two equal
 * keys counts, so the sender and the terminal could read different amounts.
 */
export function keyFault(text: string): KeyFault | undefined {
  const open: Open[] = [];
  for (const [mark] of text.matchAll(token)) {
    const inner = open.at(-1);
    if (mark === '{' || mark === '[') {
      open.push({ ...(mark === '{' ? { keys: new Set<string>() } : {}), key: '', at: 0, awaitsKey: mark === '{' });
    } else if (mark === '}' || mark === ']') {
      open.pop();
    } else if (mark === ',') {
      if (inner) Object.assign(inner, { at: inner.at + 1, awaitsKey: inner.keys !== undefined });
    } else if (inner?.keys && inner.awaitsKey) {
      const key = JSON.parse(mark) as string;
      Object.assign(inner, { key, awaitsKey: false });
      if (key === '__proto__') return { pointer: pointer(open), message: 'is not a field', reason: 'fieldUnknown' };
      if (inner.keys.has(key)) return { pointer: pointer(open), message: 'appears twice', reason: 'keyAmbiguous' };
      inner.keys.add(key);
    }
  }
  return undefined;
}

/** Ends before the first key that must not be repeated. */
function pointer(open: readonly Open[]): string {
  const steps = open.map(({ keys, key, at }) => (keys ? key : String(at)));
  const hidden = open.findIndex(({ keys, key }) => keys && !harmless.test(key));
  return steps
    .slice(0, hidden < 0 ? undefined : hidden)
    .map((step) => `/${step}`)
    .join('');
}
