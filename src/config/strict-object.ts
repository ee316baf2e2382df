import * as z from 'zod';
import { nearestWord } from '../base/domain/nearest-word.ts';

/** An object without further keys. A fault names the key that was probably meant. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys }) => (code === 'unrecognized_keys' ? unknownKey(keys, names) : undefined),
  });
}

function unknownKey([key = '']: readonly string[], names: readonly string[]): string {
  return `has no key "${key}"${meant(key, names)}`;
}

/** The rest of a sentence about a name that is not known. */
export function meant(written: string, names: readonly string[]): string {
  const nearest = nearestWord(written, names);
  return nearest === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${nearest}?`;
}
