import assert from 'node:assert/strict';
import type { Json } from '../e2e/stage.ts';
import type { RecordedAnswer } from './played.ts';

/**
 * The schemas of the document as one JSON Schema 2020-12, stricter than the document in one thing: a property that it does
 * not describe is a fault. A till must accept one, because later versions may add some.
 */
export function strictSchemas({ components: { schemas } }: Json): Json {
  const text = JSON.stringify(schemas).replaceAll('"#/components/schemas/', '"poid#/$defs/');
  return { $id: 'poid', $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: closed(JSON.parse(text)) };
}

function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]));
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  return isObject ? { additionalProperties: false, ...inner } : inner;
}

/** A body and the name of the schema that the document gives for it. */
export interface Judged {
  readonly schema: string;
  readonly body: Json;
  /** For the report of a fault. */
  readonly what: string;
}

/** Each body of these answers: the events of a stream are one each. Fails for an answer that the document does not tell of. */
export function judgedBodies(document: Json, answers: readonly RecordedAnswer[]): Judged[] {
  return answers.flatMap(({ method, path, status, text }): Judged[] => {
    const what = `${method} ${path} ${status}`;
    const operation = document.paths[path]?.[method.toLowerCase()];
    const isOther = operation === undefined || status === 404 || status === 405;
    const content =
      operation?.responses?.[status]?.content ?? (isOther ? fault : assert.fail(`untold: ${what} ${text}`));
    const [type] = Object.keys(content);
    const schema: string = content[type!].schema.$ref.replace('#/components/schemas/', '');
    const bodies = type === 'text/event-stream' ? eventsOf(text) : [JSON.parse(text)];
    return bodies.map((body) => ({ schema, body, what }));
  });
}

/** Another path, another method, and what could not be read as HTTP. */
const fault = { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } };

function eventsOf(text: string): Json[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}
