import { isObject, type Json } from './json-file.ts';

/** Merges objects key by key, the second over the first. Arrays are replaced as a whole. */
export function mergeOver(base: Json, over: Json): Json {
  const merged: Json = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? mergeOver(below, value) : value;
  }
  return merged;
}
