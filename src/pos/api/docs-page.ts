import { setImmediate } from 'node:timers/promises';
import { describeSchema, describeType } from './docs-schema.ts';
import { style } from './docs-style.ts';
import { html, Markup } from './markup.ts';
import { documentWithExamples, requestName } from './openapi-document.ts';
import type { JsonSchema } from './openapi-schema.ts';

interface Reference {
  readonly $ref: string;
}
interface Body {
  readonly content: Readonly<Record<string, { schema: JsonSchema; examples?: Readonly<Record<string, Reference>> }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}
interface Call {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>;
}
interface Example {
  readonly summary: string;
  readonly value: unknown;
}
interface Described {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name: string; readonly description: string }>>;
    readonly examples: Readonly<Record<string, Example>>;
  };
}

/** The OpenAPI document for readers: one page without scripts or other files. */
export async function writeDocsPage(): Promise<string> {
  // The document as it is served, with the parts that are read on request.
  const document = JSON.parse(JSON.stringify(await documentWithExamples())) as Described;
  const { info, tags, components } = document;
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), call })),
  );
  const common = findCommon(calls.map(({ call }) => call));
  const requests = new Set(calls.flatMap(({ call }) => namesIn(call.requestBody)));
  const groups = tags.map((tag) => ({ ...tag, calls: calls.filter(({ call }) => call.tags.includes(tag.name)) }));
  const sections: Markup[] = [];
  for (const { name, description, calls: own } of groups) {
    // A payment does not wait for the whole page.
    await setImmediate();
    sections.push(
      html`<h2>${name}</h2><p>${description}</p>${own.map((each) => describeCall(each, components, common))}`,
    );
  }
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<style>${new Markup(style)}</style>
<h1>${info.title}</h1>
<p>${info.description}</p>
<p>For programs: <a href="/openapi.json">/openapi.json</a>. A till in JavaScript: <a href="/client.js">/client.js</a>. A
field with <b>*</b> is always there. An optional field of a request may be left out, empty or null.</p>
<nav>${groups.map(
    ({ name, calls: own }) =>
      html`<p><strong>${name}</strong>${own.map(
        ({ call, method, path }) => html`<a href="#call-${call.operationId}">${method} ${path}</a>`,
      )}</p>`,
  )}<p><strong>Further</strong><a href="#any-call">Answers of any call</a><a href="#signing">Signed calls</a><a href="#schemas">Schemas</a></p></nav>
${sections}
<h2 id="any-call">Answers of any call</h2>${[...common].map(([name, status]) =>
    describeExample(status, components.examples, name),
  )}
<h2 id="signing">Signed calls</h2><p>Where pairing is required, a call carries these headers, and so does its answer:</p>
<dl>${Object.values(components.securitySchemes).map(
    ({ name, description }) => html`<dt><code>${name}</code></dt><dd>${description}</dd>`,
  )}</dl>
<h2 id="schemas">Schemas</h2>${Object.entries(components.schemas)
    .filter(([name]) => !requests.has(name))
    .map(([name, schema]) => html`<h3 id="${name}"><code>${name}</code></h3>${describeSchema(schema)}`)}
</html>
`;
  return page.text;
}

interface PlacedCall {
  readonly path: string;
  readonly method: string;
  readonly call: Call;
}

function describeCall(
  { path, method, call }: PlacedCall,
  { schemas, examples }: Described['components'],
  common: ReadonlyMap<string, string>,
): Markup {
  const { operationId, summary, security, parameters = [], requestBody, responses } = call;
  return html`<h3 id="call-${operationId}"><code class="verb">${method}</code> <code>${path}</code></h3>
<p>${summary}.${security?.length === 0 ? ' Needs no signature, also where pairing is required.' : ''}</p>
${parameters.length > 0 ? describeParameters(parameters) : undefined}
${namesIn(requestBody).map((name) => html`<h4 id="${name}">${name}</h4>${describeSchema(schemas[name] ?? {})}`)}
<h4>Answers</h4><div class="wide"><table><thead><tr><th>HTTP</th><th>body</th><th>when</th></tr></thead><tbody>${Object.entries(
    responses,
  ).map(
    ([status, { description, content }]) => html`<tr><td>${status}</td>
<td>${Object.values(content).map(({ schema }) => describeType(schema))}</td><td>${description}</td></tr>`,
  )}</tbody></table></div>
${examplesOf(call)
  .filter(([, name]) => !common.has(name))
  .map(([status, name]) => describeExample(status, examples, name))}`;
}

/** The examples of a call's answers, by status. */
function examplesOf({ responses }: Call): (readonly [status: string, name: string])[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples).map((name) => [status, name] as const)),
  );
}

/** Examples of several calls, with their status: they stand once on the page. */
function findCommon(calls: readonly Call[]): ReadonlyMap<string, string> {
  const all = calls.flatMap(examplesOf);
  return new Map(
    all
      .filter(([, name]) => all.filter(([, other]) => other === name).length > 1)
      .map(([status, name]) => [name, status]),
  );
}

function describeParameters(parameters: readonly Parameter[]): Markup {
  const [first] = parameters;
  return html`<div class="wide"><table><thead><tr><th>${first?.in} parameter</th><th>type</th><th>meaning</th></tr></thead><tbody>
${parameters.map(
  (each) => html`<tr><td><code>${each.name}</code>${each.required === true ? html` <b>*</b>` : undefined}</td>
<td>${describeType(each.schema)}</td><td>${each.description}</td></tr>`,
)}</tbody></table></div>`;
}

/** The call and its answer. */
function describeExample(status: string, all: Described['components']['examples'], name: string): Markup {
  const request = all[requestName(name)];
  const { summary = name, value } = all[name] ?? {};
  return html`<details><summary>${status} ${summary}</summary>
${request && html`<pre>${print(request.value)}</pre>`}<pre>${print(value)}</pre></details>
`;
}

function print(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** The schemas of a request's body. */
function namesIn(body: Body | undefined): string[] {
  return Object.values(body?.content ?? {}).map(({ schema }) => String(schema['$ref']).replace(/^.*\//, ''));
}
