import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { configurationSchema } from '../../src/config/configuration.ts';
import { sampleNames } from '../../src/config/sample.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { blocksOf } from './markdown.ts';
import { judgedInPython } from './python.ts';
import { here, root, run } from './tools.ts';

/** `poid config schema`, as an editor or a pipeline uses it: with validators of others, and without their options. */

const poid = (...words: string[]) => run(path.join(root, 'bin/poid'), ['config', ...words]);

let schema: Json;
let sample: Json;
before(async () => {
  schema = JSON.parse((await poid('schema')).stdout);
  sample = JSON.parse((await poid('sample')).stdout);
});

interface Validator {
  (body: unknown): boolean;
  readonly errors?: unknown;
}

/** Ajv as it is. It only logs some doubts about a schema: here they are faults. */
function compiled(): Validator {
  const { Ajv2020 } = createRequire(path.join(here, 'package.json'))('ajv/dist/2020.js') as {
    Ajv2020: new (options: object) => { compile(schema: Json): Validator };
  };
  const complain = (message: string) => assert.fail(message);
  return new Ajv2020({ logger: { log: complain, warn: complain, error: complain } }).compile(schema);
}

const documented = ['README.md', ...globSync('docs/*.md', { cwd: root })]
  .flatMap((file) => blocksOf(file, readFileSync(path.join(root, file), 'utf8')))
  .filter(({ mark }) => mark.startsWith('configuration: '));

/** Configurations that the terminal takes, each with its name. */
async function accepted(): Promise<[string, Json][]> {
  const ofNames = sampleNames
    .filter((name) => name !== 'OCTOPUS' && name !== 'CASH')
    .map(async (name): Promise<[string, Json]> => [`sample ${name}`, JSON.parse((await poid('sample', name)).stdout)]);
  const stage = await Stage.open();
  const simulated = JSON.parse(readFileSync(stage.configuration, 'utf8'));
  await stage.close();
  const [acquirers, qr] = [sample.acquirers.slice(0, -1), sample.acquirers.at(-1)];
  return [
    ['sample', sample],
    ...(await Promise.all(ofNames)),
    ['the key as text', { ...sample, acquirers: [...acquirers, { ...qr, clientKey: 'a-published-test-key' }] }],
    ['systemd/poid.json', JSON.parse(readFileSync(path.join(root, 'systemd/poid.json'), 'utf8'))],
    ['that of the simulator', simulated],
    ['networks', { ...sample, http: { networks: ['203.0.113.0/24', '2001:db8::/32'] } }],
    ['a broker', { ...sample, cloud: { url: 'mqtt://127.0.0.1:1883' } }],
    // A document shows a part.
    ...documented.map(({ place, text }): [string, Json] => [place, { ...sample, ...JSON.parse(text) }]),
  ];
}

const broken: readonly [what: string, break_: (good: Json) => void][] = [
  ['a setting that is none', (good) => (good.shops = {})],
  ['a setting of a section that is none', (good) => (good.http = { prot: 8080 })],
  ['no shop', (good) => delete good.shop],
  ['a shop without a name', (good) => delete good.shop.name],
  ['no acquirer', (good) => (good.acquirers = [])],
  ['an acquirer of no protocol', (good) => delete good.acquirers[0].protocol],
  ['an acquirer of a protocol that is none', (good) => (good.acquirers[0].protocol = 'iso20022')],
  ['a terminal id of seven characters', (good) => (good.acquirers[0].tid = '1234567')],
  ['a number as text', (good) => (good.acquirers[0].port = '7001')],
  ['a port that is none', (good) => (good.http = { port: 65_536 })],
  ['a fraction', (good) => (good.http = { port: 80.5 })],
  ['a currency that is none', (good) => (good.acquirers[0].amounts = { XXX: { maxMinor: 1 } })],
  ['a reader of a driver that is none', (good) => (good.reader.driver = 'neo3')],
  ['a network without a prefix', (good) => (good.http = { networks: ['203.0.113.0'] })],
  ['a key of no kind', (good) => (good.acquirers.at(-1).clientKey = 7)],
  ['a key with a space', (good) => (good.acquirers.at(-1).clientKey = 'a b')],
  ['a reference to no key', (good) => (good.acquirers.at(-1).clientKey = {})],
  ['a reference with more', (good) => (good.acquirers.at(-1).clientKey = { credential: 'qr', file: '/x' })],
  ['a name of a key that is none', (good) => (good.acquirers.at(-1).clientKey = { credential: 'Q R' })],
  ['another address than of the web', (good) => (good.acquirers.at(-1).url = 'ftp://qr.example')],
  ['another broker than of MQTT', (good) => (good.cloud = { url: 'https://broker.example' })],
  ['a wallet’s code with one length', (good) => (good.wallets = wallet([16]))],
  ['a wallet’s code with three lengths', (good) => (good.wallets = wallet([16, 18, 20]))],
  ['a day that no calendar has', (good) => (good.receipt = promoted('2026-02-30'))],
  ['a time that no clock shows', (good) => (good.settlement = { dailyAt: '24:00' })],
  ['null', (good) => (good.shop = null)],
];

const wallet = (length: number[]) => ({ ALIPAY: { scanned: { codes: [{ prefixes: ['25'], length }] } } });
const promoted = (from: string) => ({ layout: { promotion: { lines: ['Tea'], from } } });

describe('Ajv without options', () => {
  test('compiles the schema, and takes what the terminal takes', async () => {
    const validate = compiled();
    for (const [what, configuration] of await accepted())
      assert.ok(validate(configuration), `${what}: ${JSON.stringify(validate.errors)}`);
    assert.ok(documented.length >= 5);
  });

  test('refuses what is wrong with one setting, as the terminal does', () => {
    const validate = compiled();
    for (const [what, break_] of broken) {
      const bad = structuredClone(sample);
      break_(bad);
      assert.ok(!validate(bad), what);
      // The name of a key is looked up before the schema is asked.
      if (!what.includes('key')) assert.ok(!configurationSchema.safeParse(bad).success, what);
    }
  });
});

test('jsonschema of Python says the same', async () => {
  const schemas = { $schema: schema.$schema, $defs: { Configuration: schema } };
  const good = (await accepted()).map(([what, body]) => ({ schema: 'Configuration', what, body }));
  assert.deepEqual((await judgedInPython(schemas, good)).faults, []);
  const bad = broken.map(([what, break_]) => {
    const body = structuredClone(sample);
    break_(body);
    return { schema: 'Configuration', what, body };
  });
  const { faults, patterns } = await judgedInPython(schemas, bad);
  for (const { what } of bad)
    assert.ok(
      faults.some((each: string) => each.startsWith(`${what} as`)),
      what,
    );
  assert.ok(patterns > 30);
});
