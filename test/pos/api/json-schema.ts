import assert from 'node:assert/strict';
import type { Json } from './served.ts';

const keywords = new Set(
  [
    '$ref anyOf oneOf const enum type properties required items pattern',
    'minLength maxLength minItems maxItems minimum maximum multipleOf description contentEncoding contentMediaType additionalProperties',
  ].flatMap((line) => line.split(' ')),
);

/**
 * What of `value` is not as the schema says; empty when all is. Knows the part of JSON Schema 2020-12 that the document
 * uses, and fails on a keyword beyond it. Stricter than the standard in one thing: a property that is not described is a fault.
 */
export function faults(value: Json, schema: Json, document: Json, at = ''): string[] {
  for (const keyword of Object.keys(schema)) assert.ok(keywords.has(keyword), `unknown keyword ${keyword} at ${at}`);
  if (schema.$ref !== undefined) return faults(value, referred(schema.$ref, document), document, at);
  const found: string[] = [];
  const no = (wrong: boolean, what: string) => wrong && found.push(`${at || '/'} ${what}`);
  if ('const' in schema) no(value !== schema.const, `is not ${schema.const}`);
  if (schema.enum) no(!schema.enum.includes(value), `is none of ${schema.enum}`);
  if (schema.type) no(!isOf(schema.type, value), `is no ${schema.type}`);
  if (typeof value === 'string') {
    no(
      schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value),
      `does not match ${schema.pattern}`,
    );
    // The standard counts code points.
    const { length } = Array.from(value);
    no(length > (schema.maxLength ?? Number.POSITIVE_INFINITY), 'is too long');
    no(length < (schema.minLength ?? 0), 'is too short');
  }
  if (typeof value === 'number') {
    no(value < (schema.minimum ?? Number.NEGATIVE_INFINITY), 'is too small');
    no(value > (schema.maximum ?? Number.POSITIVE_INFINITY), 'is too great');
    no(schema.multipleOf === 1 && !Number.isInteger(value), 'is not whole');
    assert.ok([undefined, 1].includes(schema.multipleOf), `multipleOf ${schema.multipleOf} at ${at}`);
  }
  for (const [word, least, most] of [
    ['anyOf', 1, Number.POSITIVE_INFINITY],
    ['oneOf', 1, 1],
  ] as const) {
    const choices: string[][] | undefined = schema[word]?.map((each: Json) => faults(value, each, document, at));
    const fitting = choices?.filter((each) => each.length === 0).length ?? least;
    no(fitting < least || fitting > most, `fits ${fitting} of ${word}: ${JSON.stringify(choices)}`);
  }
  if (Array.isArray(value) && schema.items) {
    no(value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY), 'has too many items');
    no(value.length < (schema.minItems ?? 0), 'has too few items');
    for (const [index, each] of value.entries()) found.push(...faults(each, schema.items, document, `${at}/${index}`));
  }
  if (isOf('object', value) && schema.properties) {
    for (const name of schema.required ?? []) no(!Object.hasOwn(value, name), `lacks ${name}`);
    for (const [name, each] of Object.entries(value)) {
      const property = schema.properties[name];
      if (property) found.push(...faults(each, property, document, `${at}/${name}`));
      else no(true, `has ${name}, which is not described`);
    }
  }
  return found;
}

/** The schema that a local reference names (RFC 6901). */
export function referred(reference: string, document: Json): Json {
  let place: Json = document;
  for (const step of reference.replace(/^#\//, '').split('/')) place = place?.[step];
  return place ?? assert.fail(`nothing is at ${reference}`);
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      // biome-ignore lint/suspicious/useValidTypeof: the word comes from the schema
      return typeof value === type;
  }
}
