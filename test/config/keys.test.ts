import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { keyCredentials, readPassedKeys, resolveKeys, withoutSecrets } from '../../src/config/keys.ts';

let dir: string;
before(() => (dir = mkdtempSync(path.join(tmpdir(), 'poid-keys-'))));
after(() => rmSync(dir, { recursive: true }));

const named = { credential: 'qr-client-key' };
const wallet = { id: 'QR', url: 'https://h.example', clientKey: named };

test('a named key is put in its place: of an acquirer, and of whatever a further method calls a key', () => {
  const configuration = {
    acquirers: [wallet],
    methods: [{ id: 'STAMPS', apiToken: { credential: 'b' }, note: named }],
  };
  const keys = { 'qr-client-key': 'one', b: 'two' };
  const { acquirers, methods } = resolveKeys(configuration, ['f'], { keys });
  assert.deepEqual(acquirers, [{ ...wallet, clientKey: 'one' }]);
  assert.deepEqual(methods, [{ id: 'STAMPS', apiToken: 'two', note: named }]);
});

test('a key within a section of an acquirer: put in its place, missing, in clear text', () => {
  const line = (clientKey: unknown) => ({
    id: 'EDC',
    host: 'edc.example',
    security: { tls: { ca: '/ca.pem', clientKey } },
  });
  const reference = { credential: 'edc-client-key' };
  const { acquirers } = resolveKeys({ acquirers: [line(reference)] }, ['f'], { keys: { 'edc-client-key': 'pem' } });
  assert.deepEqual(acquirers, [line('pem')]);
  const sentence = /wrong at acquirers\.0\.security\.tls\.clientKey: names the credential edc-client-key/;
  assert.throws(() => resolveKeys({ acquirers: [line(reference)] }, ['f'], {}), sentence);
  const reported: string[] = [];
  resolveKeys({ acquirers: [line('pem')] }, ['f'], { onClearKey: (place) => reported.push(place) });
  assert.deepEqual(reported, ['acquirers.0.security.tls.clientKey']);
  // The other form of the section has no keys.
  for (const security of ['none', { tls: 1 }, undefined]) {
    const other = { id: 'EDC', security };
    assert.deepEqual(resolveKeys({ acquirers: [other] }, ['f'], {}), { acquirers: [other] });
    assert.deepEqual(withoutSecrets(other), other);
  }
  assert.deepEqual(withoutSecrets(line('pem')), { ...line('pem'), security: { tls: { ca: '/ca.pem' } } });
});

test('a name without a key is a fault; a name of the language’s own is none that was passed', () => {
  for (const credential of ['qr-client-key', 'constructor', 'not a name']) {
    const acquirers = [{ ...wallet, clientKey: { credential } }];
    const shown = credential.includes(' ') ? 'of a name' : credential;
    const sentence = new RegExp(`wrong at acquirers.0.clientKey: names the credential ${shown}`);
    assert.throws(() => resolveKeys({ acquirers }, ['f'], {}), sentence);
  }
});

test('a key in clear text is told by its place, but not the simulator’s', () => {
  const reported: string[] = [];
  const onClearKey = (place: string) => reported.push(place);
  for (const [settings, place] of [
    [{ ...wallet, clientKey: 'k' }, ['acquirers.0.clientKey']],
    [{ ...wallet, clientKey: 'k', url: 'http://127.0.0.1:1/' }, []],
    [{ ...wallet, clientKey: 'k', url: 'https://127.0.0.1.example/' }, ['acquirers.0.clientKey']],
    [wallet, []],
  ] as const) {
    reported.length = 0;
    resolveKeys({ acquirers: [settings] }, ['f'], { keys: 'unread', onClearKey });
    assert.deepEqual(reported, place);
  }
});

test('what systemd passed: both files, none of them, or nothing that can be read', async () => {
  assert.deepEqual(await readPassedKeys(undefined), {});
  assert.deepEqual(await readPassedKeys(dir), {});
  writeFileSync(path.join(dir, keyCredentials.plain), '{"a":"1"}');
  writeFileSync(path.join(dir, keyCredentials.sealed), '{"b":"2"}');
  assert.deepEqual(await readPassedKeys(dir), { a: '1', b: '2' });
  for (const [text, sentence] of [
    ['{"a":5ecret}', /is not a JSON object/],
    ['{"a":5}', /wrong at a: is no text/],
  ] as const) {
    writeFileSync(path.join(dir, keyCredentials.plain), text);
    await assert.rejects(readPassedKeys(dir), ({ message }: Error) => {
      assert.match(message, sentence);
      assert.doesNotMatch(message, /5ecret/);
      return true;
    });
  }
});
