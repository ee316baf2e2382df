import { readFileSync } from 'node:fs';
import * as z from 'zod';

type Schemas = Readonly<Record<string, z.core.JSONSchema.JSONSchema>>;

/** docs/schemas: what `poid NAME --json` prints. */
export const schemaFolder = new URL('../../docs/schemas/', import.meta.url);

export function schemaFileOf(command: string): string {
  return `${command.replaceAll(' ', '-')}.json`;
}

/**
 * Answers of a terminal are described in its own document; `openApi` is that of the terminal that was asked. Read as closed: a till
 * takes a field that it does not know, and here nobody prints one that is not described.
 */
export function commandSchema(command: string, openApi?: { readonly components: { readonly schemas: object } }) {
  const text = readFileSync(new URL(schemaFileOf(command), schemaFolder), 'utf8');
  const local = (json: string): Schemas =>
    JSON.parse(json.replaceAll(/"[^"]*#\/components\/schemas\//g, '"#/$defs/'), closed) as Schemas;
  const $defs = local(JSON.stringify(openApi?.components.schemas ?? {}));
  return z.fromJSONSchema({ ...local(text), $defs });
}

/** Only what says that it is open stays open. */
function closed(_name: string, schema: unknown): unknown {
  const isOfFields = isObject(schema) && schema['type'] === 'object' && isObject(schema['properties']);
  return isOfFields ? { additionalProperties: false, ...schema } : schema;
}

/**
 * Plants wrong outputs in one that is right, one after the other: a field that nobody described and a field less in each object,
 * and each field as of another type. Returns those that are taken for right; empty for a schema that proves something. `described`:
 * the fields of the document itself that its schema names, where it says that there are others.
 */
export function plantedAndTaken(
  document: unknown,
  takes: (document: unknown) => boolean,
  described?: readonly string[],
): string[] {
  const taken: string[] = [];
  const look = (part: unknown, at: string, put: (other: unknown) => unknown): void => {
    if (Array.isArray(part)) {
      for (const [index, each] of part.entries()) look(each, `${at}/${index}`, (other) => put(part.with(index, other)));
    }
    if (!isObject(part)) return;
    const isOpen = described !== undefined && part === document;
    if (!isOpen && takes(put({ ...part, planted: 1 }))) taken.push(`${at}: a field more`);
    const names = isOpen ? described : Object.keys(part);
    const isNeeded = (name: string) => !takes(put({ ...part, [name]: undefined }));
    if (names.length > 0 && !names.some(isNeeded)) taken.push(`${at}: any field less`);
    for (const name of names) {
      const value = part[name];
      const wrong = Array.isArray(value) ? 'planted' : [[]];
      if (takes(put({ ...part, [name]: wrong }))) taken.push(`${at}/${name}: of another type`);
      look(value, `${at}/${name}`, (other) => put({ ...part, [name]: other }));
    }
  };
  look(document, '', (other) => JSON.parse(JSON.stringify(other)));
  return taken;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
