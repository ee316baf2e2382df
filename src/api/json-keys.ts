import { harmless, type InputFault } from './pos-request.ts';

interface Open {
  /** The keys of an object; none of an array. */
  readonly keys?: Set<string>;
  key: string;
  at: number;
  awaitsKey: boolean;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

/**
 * Of a text that is JSON: the first key that is there twice in its object, or `__proto__`. RFC 8259, 4, leaves open which of two counts, so
 * a point of sale and this terminal could mean different amounts.
 */
export function keyFault(text: string): InputFault | undefined {
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
      if (key === '__proto__') return { pointer: pointer(open), message: 'is no field' };
      if (inner.keys.has(key)) return { pointer: pointer(open), message: 'is there twice' };
      inner.keys.add(key);
    }
  }
  return undefined;
}

/** As far as the names on the way may be told. */
function pointer(open: readonly Open[]): string {
  const steps = open.map(({ keys, key, at }) => (keys ? key : String(at)));
  const hidden = open.findIndex(({ keys, key }) => keys && !harmless.test(key));
  return steps
    .slice(0, hidden < 0 ? undefined : hidden)
    .map((step) => `/${step}`)
    .join('');
}
