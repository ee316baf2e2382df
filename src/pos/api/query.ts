import * as z from 'zod';
import { expectation, inputFaults, type InputRefusal, refusal } from './input.ts';

/** A whole number in a query string. */
export function wholeNumber(min: number, max: number) {
  const error = { error: expectation(`a whole number from ${min} to ${max}`) };
  const toNumber = (value: unknown) =>
    typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value === '' ? undefined : value;
  return z.preprocess(toNumber, z.int(error).min(min, error).max(max, error).optional());
}

/** The parameters by their schema. A name that stands twice is ambiguous, as a key of a body. */
export function parseQuery<T extends z.ZodObject>(query: URLSearchParams, schema: T): z.infer<T> | InputRefusal {
  const names = [...new Set(query.keys())];
  const known = Object.keys(schema.shape);
  const [twice] = known.filter((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return refusal('INVALID_PARAMETER', 'keyAmbiguous', `/${twice}`, 'stands twice');
  const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, query.get(name)])));
  return parsed.success ? parsed.data : { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error, known) };
}
