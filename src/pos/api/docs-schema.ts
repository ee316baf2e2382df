import { html, type Markup } from './markup.ts';
import type { JsonSchema } from './openapi-schema.ts';

/** Above this many words a choice is folded. */
const shownWordsMax = 14;

interface Row {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** The fields of an object as a table, those of the objects in it included; anything else as its type. */
export function describeSchema(schema: JsonSchema): Markup {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return html`<p>${describeType(schema)}</p>`;
  return html`<div class="wide"><table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr><td><code>${row.name}</code>${row.isRequired ? html` <b title="always there">*</b>` : undefined}</td>
<td>${describeType(row.schema)}</td><td>${descriptionOf(row.schema)}</td></tr>
`,
  )}</tbody></table></div>`;
}

/** The values of a field: its type, its words, or a link to its schema. */
export function describeType(schema: JsonSchema): Markup {
  const { $ref, enum: words, anyOf, oneOf, type, items, properties } = schema;
  if (typeof $ref === 'string') return linkTo($ref.replace(/^.*\//, ''));
  if ('const' in schema) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  if (Array.isArray(words)) return describeWords(words);
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices) return join(choices.filter((each) => !isLeftOut(each)).map(describeType), ' or ');
  if (type === 'array') return html`list of ${describeType((items ?? {}) as JsonSchema)}`;
  if (properties !== undefined) return html`object`;
  const limits = limitsOf(schema);
  const name = typeof type === 'string' ? type : 'any value';
  return html`${name}${limits === '' ? undefined : html`<small> ${limits}</small>`}`;
}

function rowsOf(schema: JsonSchema, before: string): Row[] {
  const { properties = {}, required = [], items } = schema;
  if (items !== undefined && before !== '') return rowsOf(items as JsonSchema, `${before.replace(/\.$/, '')}[].`);
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, each]) => [
    { name: before + name, isRequired: (required as readonly string[]).includes(name), schema: each },
    ...rowsOf(each, `${before}${name}.`),
  ]);
}

/** `""` and null stand for a field that is left out: every optional field of a request takes them. */
function isLeftOut({ enum: words }: JsonSchema): boolean {
  return Array.isArray(words) && words.length === 2 && words[0] === '' && words[1] === null;
}

function describeWords(words: readonly unknown[]): Markup {
  const written = join(
    words.map((word) => html`<code>${typeof word === 'string' ? word : JSON.stringify(word)}</code>`),
    ' ',
  );
  if (words.length <= shownWordsMax) return written;
  return html`<details><summary>one of ${words.length} words</summary>${written}</details>`;
}

function descriptionOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? description : '';
}

/** As the schemas of this interface write them. A pattern is for programs: the document itself has it. */
interface Limits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly contentMediaType?: string;
}

function limitsOf({ minLength = 0, maxLength, minimum, maximum, contentMediaType }: JsonSchema & Limits): string {
  const words: string[] = [];
  if (maxLength !== undefined) words.push(`${minLength} to ${maxLength} characters`);
  if (minimum !== undefined && maximum !== undefined) words.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) words.push(`from ${minimum}`);
  if (contentMediaType !== undefined) words.push(contentMediaType);
  return words.join(', ');
}

function linkTo(schema: string): Markup {
  return html`<a href="#${schema}">${schema}</a>`;
}

function join(parts: readonly Markup[], between: string): Markup {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${between}${part}`))}`;
}
