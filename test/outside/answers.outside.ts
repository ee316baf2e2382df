import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { before, test } from 'node:test';
import type { Json } from '../e2e/stage.ts';
import { shapeOf } from './example-shape.ts';
import { play, type Played, readAnswers } from './played.ts';
import { type Judged, judgedBodies, strictSchemas } from './schemas.ts';
import { judgedInPython } from './python.ts';
import { here, root } from './tools.ts';

/** The answers of `npm test`, where it wrote them down: continuous integration has it do so. */
const ofTests = process.env['POID_REPORTED_ANSWERS'];
const exampleFile = path.join(root, 'src/pos/api/openapi-examples.json');

let played: Played;
let judged: Judged[];
before(async () => {
  played = await play();
  const earlier = ofTests === undefined ? [] : await readAnswers(ofTests);
  judged = judgedBodies(played.document, [...played.answers, ...earlier]);
  console.log(`${played.answers.length} answers of its own, ${earlier.length} of the end-to-end tests`);
});

interface Validator {
  (body: unknown): boolean;
  readonly errors?: unknown;
}
interface Ajv {
  addSchema(schema: Json): void;
  compile(schema: Json): Validator;
}

/** Ajv for draft 2020-12, in its strict mode: a schema with a word that it does not know is an error. */
function newAjv(): Ajv {
  const { Ajv2020 } = createRequire(path.join(here, 'package.json'))('ajv/dist/2020.js') as {
    Ajv2020: new (options: object) => Ajv;
  };
  return new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
}

function faultsOf(document: Json, bodies: readonly Judged[]): string[] {
  const ajv = newAjv();
  ajv.addSchema(strictSchemas(document));
  const validators = new Map<string, Validator>();
  return bodies.flatMap(({ schema, body, what }) => {
    const validate = validators.get(schema) ?? ajv.compile({ $ref: `poid#/$defs/${schema}` });
    validators.set(schema, validate);
    return validate(body) ? [] : [`${what} as ${schema}: ${JSON.stringify(validate.errors)}`];
  });
}

test('Ajv without an option compiles each schema of the document', () => {
  const { Ajv2020 } = createRequire(path.join(here, 'package.json'))('ajv/dist/2020.js') as { Ajv2020: new () => Ajv };
  const schemas = strictSchemas(played.document);
  const ajv = new Ajv2020();
  ajv.addSchema(schemas);
  for (const name of Object.keys(schemas.$defs)) ajv.compile({ $ref: `poid#/$defs/${name}` });
});

test('Ajv finds every answer as the document says', () => {
  const faults = faultsOf(played.document, judged);
  console.log(`ajv: ${judged.length} bodies of ${new Set(judged.map(({ schema }) => schema)).size} schemas`);
  assert.deepEqual(faults, []);
  assert.ok(judged.length > 120);
});

test('Ajv notices an answer that is not as the document says', () => {
  const [{ schema, body, what } = assert.fail('no answer')] = judged.filter((each) => each.schema === 'PosResponse');
  for (const wrong of [{ ...body, responseCode: 'x', transactionPrintData: 1 }, { ...body, more: 1 }, {}]) {
    assert.notDeepEqual(faultsOf(played.document, [{ schema, body: wrong, what }]), []);
  }
});

const judgeInPython = (bodies: readonly Judged[]) => judgedInPython(strictSchemas(played.document), bodies);

test('jsonschema of Python finds the same, and reads every pattern', async () => {
  const { judged: count, patterns, faults } = await judgeInPython(judged);
  console.log(`jsonschema: ${count} bodies, ${patterns} patterns`);
  assert.deepEqual(faults, []);
  assert.equal(count, judged.length);
  const [first = assert.fail('no answer')] = judged;
  assert.notDeepEqual((await judgeInPython([{ ...first, body: { ...first.body, more: 1 } }])).faults, []);
});

test('the examples of the document are what the terminal answers', async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  // Of the release: not of the commit that the examples were written at.
  const released = (name: string, value: unknown) => (name === 'version' ? version : value);
  const answer: Json = JSON.parse(JSON.stringify(Object.fromEntries(played.examples), released));
  if (process.env['POID_EXAMPLES'] === 'write') await writeFile(exampleFile, `${JSON.stringify(answer, null, 2)}\n`);
  const kept: Json = JSON.parse(await readFile(exampleFile, 'utf8'));
  assert.deepEqual(Object.keys(kept).toSorted(), Object.keys(answer).toSorted());
  for (const [name, example] of Object.entries<Json>(answer))
    assert.deepEqual(shapeOf(kept[name]), shapeOf(example), name);
});

test('each status that a call can answer was answered, or is one that no test can make', () => {
  const reported = new Set(played.answers.map(({ path: call, status }) => `${call} ${status}`));
  const anyCall = new Set(
    [...played.examples.values()].flatMap((each) => (each.operation === 'any' ? [each.status] : [])),
  );
  const untold = Object.entries<Json>(played.document.paths).flatMap(([call, methods]) =>
    Object.values<Json>(methods).flatMap(({ responses }) =>
      Object.keys(responses)
        .filter((status) => !anyCall.has(Number(status)) && !anywhere.has(status) && !files.has(call))
        .map((status) => `${call} ${status}`)
        .filter((each) => !reported.has(each)),
    ),
  );
  assert.deepEqual(untold.toSorted(), [...unplayed].toSorted());
});

/** What the terminal serves beside its calls: test/pos/api/files.test.ts reads them. */
const files: ReadonlySet<string> = new Set(['/openapi.json', '/docs', '/client.js']);

/** Of any call: a fault of the terminal, and more calls of a paired POS than its budget (test/pos/pairing/many-calls.test.ts). */
const anywhere: ReadonlySet<string> = new Set(['429', '500']);

/** Each needs another configuration, a journal that fails, a terminal that stops, or many callers at once; tests of the API have them. */
const unplayed: readonly string[] = [
  '/sp/v1/cancel 503',
  '/sp/v1/drawer/open 422',
  '/sp/v1/enquiry 503',
  '/sp/v1/settlement 503',
  '/sp/v1/report 503',
  '/sp/v1/transactions 503',
];
