import * as z from 'zod';
import { keyReferenceSchema } from './keys.ts';
import { secretSchemas } from './methods.ts';
import { nexoPassphrase } from './nexo-settings.ts';
import type { JsonSchema } from './schema-names.ts';
import { settings } from './settings.ts';

const secrets = new Set<unknown>([...secretSchemas.values(), nexoPassphrase]);

/**
 * The schema of a configuration as it is written, with the descriptions and defaults of its settings. Rules between
 * settings are not in it. It has only what every validator of draft 2020-12 knows by itself: patterns in the place of
 * formats.
 */
export function configurationJsonSchema(): object {
  return z.toJSONSchema(settings, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.format;
      // Property escapes are ECMAScript's; Python has none.
      if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\p{C}', '\\x00-\\x1f\\x7f-\\x9f');
      if (!secrets.has(zodSchema)) return;
      const { description: _, ...text } = jsonSchema;
      for (const name of Object.keys(text)) delete jsonSchema[name];
      jsonSchema.anyOf = [text, keyReferenceSchema];
    },
  });
}

/** A line for each setting, as a Markdown table: its path, what it takes, its default, what it means. */
export function referenceLines(): string[] {
  const rows = rowsOf(configurationJsonSchema(), '');
  // A setting of several drivers or protocols is the same line in each.
  return ['| setting | value | default | meaning |', '|---|---|---|---|', ...new Set(rows)];
}

function rowsOf(schema: JsonSchema, place: string): string[] {
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, each]) => {
    const path = place === '' ? name : `${place}.${name}`;
    return [rowOf(path, each, required.includes(name)), ...rowsOf(each, path)];
  });
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const { items, additionalProperties: other } = schema;
  return [
    ...own,
    ...choices.flatMap((each) => rowsOf(each, place)),
    ...(items ? rowsOf(items, `${place}[]`) : []),
    ...(typeof other === 'object' ? rowsOf(other, `${place}.NAME`) : []),
  ];
}

function rowOf(path: string, schema: JsonSchema, isRequired: boolean): string {
  const { default: preset } = schema;
  const isSection = preset !== undefined && JSON.stringify(preset) === '{}';
  const standard = preset === undefined || isSection ? '' : `\`${JSON.stringify(preset)}\``;
  const cells = [`\`${path}\``, valueOf(schema), isRequired ? 'required' : standard, schema.description ?? ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function valueOf(schema: JsonSchema): string {
  const { type, minimum, maximum } = schema;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum)
    return schema.enum.length > 12 ? 'one of many words' : schema.enum.map((each) => `\`${String(each)}\``).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(valueOf))].join(' or ');
  if (type === 'array') return `list of ${valueOf(schema.items ?? {})}`;
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return type === undefined ? 'any' : ({ string: 'text', boolean: 'true or false', object: 'section' }[type] ?? type);
}
