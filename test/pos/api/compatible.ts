import { referred } from './json-schema.ts';
import type { Json } from './served.ts';

/** Who reads what a schema describes: a till an answer, the terminal a request. */
type Reader = 'till' | 'terminal';

/** Sets of an answer that a till may branch on completely: no release adds to them. */
export const closedSets: ReadonlySet<string> = new Set(['responseResult', 'retryable', 'financialImpact']);

interface Place {
  readonly earlier: Json;
  readonly present: Json;
  readonly reader: Reader;
}

/**
 * What a till that was written for an earlier document would miss with the present one. Of an answer everything must be
 * there that was; of a request everything must be taken that was.
 */
export function findBreaks(earlier: Json, present: Json): string[] {
  return Object.entries<Json>(earlier.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, before]) => {
      const now = present.paths[path]?.[method];
      const at = `${method} ${path}`;
      return now === undefined ? [`${at} is gone`] : operationBreaks(before, now, { earlier, present }, at);
    }),
  );
}

/** What the terminal took by an earlier schema, and would not take by the present one. */
export function findInputBreaks(earlier: Json, present: Json): string[] {
  return schemaBreaks(earlier, present, { earlier, present, reader: 'terminal' }, '');
}

function operationBreaks(before: Json, now: Json, documents: { earlier: Json; present: Json }, at: string): string[] {
  const found: string[] = [];
  const asked = { ...documents, reader: 'terminal' } as const;
  const answered = { ...documents, reader: 'till' } as const;
  if (before.operationId !== now.operationId) found.push(`${at} has another operationId`);
  for (const each of before.parameters ?? []) {
    const same = now.parameters?.find(({ name }: Json) => name === each.name);
    found.push(
      ...(same ? schemaBreaks(each.schema, same.schema, asked, `${at} ${each.name}`) : [`${at} ${each.name} is gone`]),
    );
  }
  const names = new Set<string>((before.parameters ?? []).map(({ name }: Json) => name));
  for (const { name, required } of now.parameters ?? [])
    if (required && !names.has(name)) found.push(`${at} ${name} is required`);
  found.push(...contentBreaks(before.requestBody?.content, now.requestBody?.content, asked, `${at} request`));
  if (now.requestBody?.required && !before.requestBody) found.push(`${at} takes a body`);
  for (const [status, { content }] of Object.entries<Json>(before.responses)) {
    const same = now.responses[status];
    if (same) found.push(...contentBreaks(content, same.content, answered, `${at} ${status}`));
    else found.push(`${at} ${status} is gone`);
  }
  return found;
}

function contentBreaks(before: Json = {}, now: Json = {}, place: Place, at: string): string[] {
  return Object.entries<Json>(before).flatMap(([type, { schema }]) =>
    now[type] ? schemaBreaks(schema, now[type].schema, place, at) : [`${at} has no ${type}`],
  );
}

/** Of the forms that a value may have, each must still be there. */
function schemaBreaks(before: Json, now: Json, place: Place, at: string): string[] {
  const present = formsOf(now, place.present);
  return formsOf(before, place.earlier).flatMap((form) => {
    const tried = present.map((each) => formBreaks(form, each, place, at));
    // One without a break is that form; where there is none, the nearest says what has changed.
    return tried.toSorted((one, other) => one.length - other.length)[0] ?? [];
  });
}

/** A schema without references and choices: one for each choice. */
function formsOf(schema: Json, document: Json): Json[] {
  if (schema.$ref !== undefined) return formsOf(referred(schema.$ref, document), document);
  const { anyOf, oneOf, ...own } = schema;
  const choices: Json[] | undefined = anyOf ?? oneOf;
  if (choices === undefined) return [own];
  return choices.flatMap((each) =>
    formsOf(each, document).map((form) => ({
      ...own,
      ...form,
      ...(own.properties || form.properties ? { properties: { ...own.properties, ...form.properties } } : {}),
      ...(own.required || form.required ? { required: [...(own.required ?? []), ...(form.required ?? [])] } : {}),
    })),
  );
}

function formBreaks(before: Json, now: Json, place: Place, at: string): string[] {
  const found = [...typeBreaks(before, now, place.reader, at), ...setBreaks(before, now, place.reader, at)];
  if (place.reader === 'terminal') found.push(...limitBreaks(before, now, at));
  for (const [name, each] of Object.entries<Json>(before.properties ?? {})) {
    const same = now.properties?.[name];
    found.push(...(same ? schemaBreaks(each, same, place, `${at}/${name}`) : [`${at}/${name} is gone`]));
  }
  const [must, mustNow]: [string[], string[]] = [before.required ?? [], now.required ?? []];
  const [from, to] = place.reader === 'till' ? [must, mustNow] : [mustNow, must];
  const verb = place.reader === 'till' ? 'may be absent' : 'is required';
  for (const name of from) if (!to.includes(name)) found.push(`${at}/${name} ${verb}`);
  const [others, othersNow] = [before.additionalProperties, now.additionalProperties];
  if (typeof others === 'object') {
    const taken = typeof othersNow === 'object' ? schemaBreaks(others, othersNow, place, `${at}/*`) : [];
    found.push(...(othersNow === false ? [`${at}/* is gone`] : taken));
  }
  if (before.items && now.items) found.push(...schemaBreaks(before.items, now.items, place, `${at}/*`));
  return found;
}

function typeBreaks(before: Json, now: Json, reader: Reader, at: string): string[] {
  const isSame = before.type === now.type;
  // Whoever reads a number reads a whole one.
  const [given, read] = reader === 'till' ? [now.type, before.type] : [before.type, now.type];
  return isSame || read === undefined || (given === 'integer' && read === 'number') ? [] : [`${at} is ${now.type}`];
}

function setBreaks(before: Json, now: Json, reader: Reader, at: string): string[] {
  const [was, is] = [valuesOf(before), valuesOf(now)];
  if (was === undefined) return reader === 'terminal' && is ? [`${at} takes a set of values alone`] : [];
  if (is === undefined) return reader === 'till' ? [`${at} may be anything`] : [];
  const isClosed = reader === 'till' && closedSets.has(at.split('/').at(-1) ?? '');
  return [
    ...was.filter((each) => !is.includes(each)).map((each) => `${at} is never ${String(each)}`),
    ...(isClosed ? is.filter((each) => !was.includes(each)).map((each) => `${at} may be ${String(each)}`) : []),
  ];
}

function valuesOf({ enum: values, ...schema }: Json): unknown[] | undefined {
  return 'const' in schema ? [schema.const] : values;
}

function limitBreaks(before: Json, now: Json, at: string): string[] {
  const least = ['minLength', 'minItems', 'minimum'].filter(
    (word) => (now[word] ?? Number.NEGATIVE_INFINITY) > (before[word] ?? Number.NEGATIVE_INFINITY),
  );
  const most = ['maxLength', 'maxItems', 'maximum'].filter(
    (word) => (now[word] ?? Number.POSITIVE_INFINITY) < (before[word] ?? Number.POSITIVE_INFINITY),
  );
  return [...least, ...most].map((word) => `${at} has another ${word}`);
}
