import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ConfigurationError, loadConfiguration } from '../../src/config/load.ts';

type Json = Record<string, unknown>;

const acquirer = {
  id: 'EDC',
  protocol: 'iso8583',
  host: '127.0.0.1',
  port: 9000,
  tid: '00000001',
  mid: '000000000000001',
  nii: '003',
  tpdu: '6000030000',
  brands: ['VISA'],
};
const smallest = { shop: { name: 'Shop' }, reader: { driver: 'neo2', path: '/dev/reader' }, acquirers: [acquirer] };

let dir: string;
let files = 0;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-config-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A file of this content: text as it is, anything else as JSON. */
function file(content: unknown): string {
  const name = path.join(dir, `${(files += 1)}.json`);
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

async function refusal(paths: readonly string[], overrides?: Json): Promise<string> {
  const error = await loadConfiguration(paths, overrides).then(
    () => assert.fail('the configuration was taken'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigurationError, String(error));
  assert.doesNotMatch(error.message, /\n/, 'one sentence');
  return error.message;
}

test('the least that one has to say, and the defaults of all else', async () => {
  const configuration = await loadConfiguration([file(smallest)]);
  assert.equal(configuration.stateDir, '/var/lib/poid');
  assert.equal(configuration.http.host, '0.0.0.0');
  assert.equal(configuration.http.port, 8080);
  assert.equal(configuration.screen.port, 8081);
  assert.equal(configuration.timeouts.collectMs, 120_000);
  assert.equal(configuration.timeouts.reversalWaitMs, 5_000);
  assert.equal(configuration.receipt.printedBy, 'terminal');
  assert.equal(configuration.reader.baudRate, 115_200);
  assert.equal(configuration.printer, undefined);
  assert.equal(configuration.logLevel, 'info');
  assert.deepEqual(
    configuration.acquirers.map(({ connectTimeoutMs, replyTimeoutMs }) => ({ connectTimeoutMs, replyTimeoutMs })),
    [{ connectTimeoutMs: 5_000, replyTimeoutMs: 30_000 }],
  );
});

test('later files go over earlier ones, flags over all, object by object; lists are taken whole', async () => {
  const paths = [
    file({ ...smallest, http: { port: 1, host: '127.0.0.1' }, timeouts: { collectMs: 7 } }),
    file({ http: { port: 2 }, screen: { port: 20 }, acquirers: [{ ...acquirer, id: 'CUP' }] }),
  ];
  const configuration = await loadConfiguration(paths, { http: { port: 3 }, screen: {}, stateDir: '/tmp/state' });
  assert.equal(configuration.http.port, 3);
  assert.equal(configuration.http.host, '127.0.0.1');
  assert.equal(configuration.screen.port, 20);
  assert.equal(configuration.timeouts.collectMs, 7);
  assert.equal(configuration.stateDir, '/tmp/state');
  assert.deepEqual(
    configuration.acquirers.map(({ id }) => id),
    ['CUP'],
  );
});

test('a refusal names the place and the files', async () => {
  const places: readonly [string, Json][] = [
    ['shop.name', { ...smallest, shop: { name: '' } }],
    ['reader.driver', { ...smallest, reader: { ...smallest.reader, driver: 'other' } }],
    ['acquirers.0.tid', { ...smallest, acquirers: [{ ...acquirer, tid: '1' }] }],
    ['acquirers.0.port', { ...smallest, acquirers: [{ ...acquirer, port: 0 }] }],
    ['acquirers.0.tpdu', { ...smallest, acquirers: [{ ...acquirer, tpdu: '6000030' }] }],
    ['acquirers.0.brands', { ...smallest, acquirers: [{ ...acquirer, brands: [] }] }],
    ['acquirers', { ...smallest, acquirers: [] }],
    ['acquirers', { ...smallest, acquirers: [acquirer, acquirer] }],
    ['http.port', { ...smallest, http: { port: 65_536 } }],
    ['http.port', { ...smallest, http: { port: '8080' } }],
    ['timeouts.collectMs', { ...smallest, timeouts: { collectMs: 0 } }],
    ['timeouts.collectMs', { ...smallest, timeouts: { collectMs: 1.5 } }],
    ['timeouts', { ...smallest, timeouts: { collectMS: 5 } }],
    ['printer.columns', { ...smallest, printer: { driver: 'escpos', path: '/dev/printer', columns: 8 } }],
    ['logLevel', { ...smallest, logLevel: 'loud' }],
    ['the top level', { ...smallest, colour: 'red' }],
  ];
  for (const [place, content] of places) {
    const name = file(content);
    const message = await refusal([name]);
    assert.ok(message.includes(` at ${place}: `), `${place}: ${message}`);
    assert.ok(message.includes(name), message);
  }
});

test('a refused value is not repeated', async () => {
  const secret = 'S3CRET-VALUE';
  for (const content of [
    { ...smallest, logLevel: secret },
    { ...smallest, acquirers: [{ ...acquirer, tid: secret }] },
    { ...smallest, http: { port: secret } },
    { ...smallest, shop: secret },
  ]) {
    assert.ok(!(await refusal([file(content)])).includes(secret));
  }
});

test('a flag is checked like a file', async () => {
  assert.match(await refusal([file(smallest)], { http: { port: -1 } }), / at http\.port: /);
});

test('a file that can not be read', async () => {
  const missing = path.join(dir, 'missing.json');
  assert.match(await refusal([missing]), /can't be read \(ENOENT\)/);
  assert.ok((await refusal([file(smallest), missing])).includes(missing));
  assert.match(await refusal([dir]), /can't be read \(EISDIR\)/);
});

test('what is no JSON object is refused without a word of it', async () => {
  for (const content of [
    '',
    'S3CRET = 1',
    '{"key": "S3CRET"',
    '"S3CRET"',
    '["S3CRET"]',
    'null',
    '30',
    '\ufeff{"S3CRET": 1',
  ]) {
    const message = await refusal([file(content)]);
    assert.match(message, /is no JSON object/, content);
    assert.doesNotMatch(message, /S3CRET/);
  }
});

test('a file can not reach into the language', async () => {
  await loadConfiguration([file(`{"__proto__": {"polluted": true}, ${JSON.stringify(smallest).slice(1)}`)]).catch(
    () => undefined,
  );
  assert.equal('polluted' in {}, false);
});

test('a grace that ends before an acquirer may have answered is refused', async () => {
  for (const [noRecordGraceMs, replyTimeoutMs] of [
    [30_000, 30_000],
    [60_000, 90_000],
  ]) {
    const content = { ...smallest, acquirers: [{ ...acquirer, replyTimeoutMs }], timeouts: { noRecordGraceMs } };
    assert.match(
      await refusal([file(content)]),
      new RegExp(`timeouts.noRecordGraceMs: .*longer than the replyTimeoutMs of the acquirer EDC`),
    );
  }
  const longer = { ...smallest, acquirers: [{ ...acquirer, replyTimeoutMs: 59_999 }] };
  assert.equal((await loadConfiguration([file(longer)])).timeouts.noRecordGraceMs, 60_000);
});
