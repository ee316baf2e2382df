import { readFileSync } from 'node:fs';
import * as z from 'zod';

type Schemas = Readonly<Record<string, z.core.JSONSchema.JSONSchema>>;

/** docs/schemas: what `poid NAME --json` prints. */
export const schemaFolder = new URL('../../docs/schemas/', import.meta.url);

export function schemaFileOf(command: string): string {
  return `${command.replaceAll(' ', '-')}.json`;
}

/** Answers of a terminal are described in its own document; `openApi` is that of the terminal that was asked. */
export function commandSchema(command: string, openApi?: { readonly components: { readonly schemas: object } }) {
  const text = readFileSync(new URL(schemaFileOf(command), schemaFolder), 'utf8');
  const local = (json: string): Schemas =>
    JSON.parse(json.replaceAll(/"[^"]*#\/components\/schemas\//g, '"#/$defs/')) as Schemas;
  const $defs = local(JSON.stringify(openApi?.components.schemas ?? {}));
  return z.fromJSONSchema({ ...local(text), $defs });
}
