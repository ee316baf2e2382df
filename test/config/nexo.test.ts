import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProvisioning } from '../../src/admin/provisioning.ts';
import { findFaults } from '../../src/config/faults.ts';
import { mapSecrets, resolveKeys } from '../../src/config/keys.ts';
import { findUnsettable } from '../../src/config/settable.ts';
import { provisioning } from '../admin/provisioning-input.ts';

/** A test key. */
const key = { identifier: 'test-key', version: 1, passphrase: 'a test passphrase' };
const sound = { poiId: 'POID-1', keys: [key] };

function faults(nexo: object, more: object = {}): string[] {
  const { serialNumber: _number, ...shop } = provisioning as Record<string, unknown>;
  return findFaults(JSON.stringify({ ...shop, ...more, nexo })).map(({ path, message }) => `${path} ${message}`);
}

test('a sound one has no fault, and a terminal without it needs nothing', () => {
  assert.deepEqual(faults(sound), []);
  assert.deepEqual(faults({ poiId: 'POID-1', clear: true }), []);
});

test('one that would accept no message, or everybody’s where POS must be paired, is refused', () => {
  assert.match(faults({ poiId: 'POID-1' }).join(), /nexo\.keys is empty, and clear is false/);
  const pairing = { pairing: { required: true } };
  assert.match(faults({ ...sound, clear: true }, pairing).join(), /nexo\.clear must be false with pairing\.required/);
  assert.match(faults(sound, pairing).join(), /nexo\.keys\.0\.posId is missing/);
  assert.deepEqual(faults({ ...sound, keys: [{ ...key, posId: 'POS-1' }] }, pairing), []);
});

test('a port of another listener, a key twice, a short passphrase and the terminal’s own name are refused', () => {
  assert.match(faults({ ...sound, port: 8080 }).join(), /nexo\.port is http\.port too/);
  assert.match(faults({ ...sound, keys: [key, key] }).join(), /identifier and version of nexo\.keys\.0 too/);
  assert.match(faults({ ...sound, keys: [{ ...key, passphrase: 'short' }] }).join(), /at least 12 characters/);
  assert.match(faults({ ...sound, keys: [{ ...key, passphrase: 'long enough 凍檸茶' }] }).join(), /Latin-1/);
  assert.match(faults({ ...sound, keys: [{ ...key, posId: 'OPERATOR' }] }).join(), /reserved for the terminal/);
});

test('a passphrase is a key: it may be a credential, is known to be in clear, and no fleet sets it', () => {
  const named = { nexo: { keys: [{ ...key, passphrase: { credential: 'nexo-1' } }] } };
  const keys = { 'nexo-1': 'the passphrase' };
  assert.deepEqual(resolveKeys(named, [], { keys }), { nexo: { keys: [{ ...key, passphrase: 'the passphrase' }] } });
  assert.throws(() => resolveKeys(named, [], { keys: {} }), /nexo\.keys\.0\.passphrase/);
  const clear: string[] = [];
  resolveKeys({ nexo: { keys: [key] } }, [], { onClearKey: (place) => clear.push(place) });
  assert.deepEqual(clear, ['nexo.keys.0.passphrase']);
  const ids: unknown[] = [];
  mapSecrets({ nexo: { keys: [key] } }, (_value, _place, { id }) => ids.push(id));
  assert.deepEqual(ids, ['nexo-1-test-key']);
  assert.match(findUnsettable({ nexo: sound }) ?? '', /nexo is not for a fleet to set/);
});

test('poid provision names each passphrase, also those of keys whose names differ by a character only', () => {
  const keys = ['till 1', 'till-1', 'till_1'].map((identifier, at) => ({
    ...key,
    identifier: identifier.replace(' ', '.'),
    passphrase: `test passphrase ${at}`,
  }));
  const read = parseProvisioning({ ...provisioning, nexo: { ...sound, keys } }, undefined, { plainHosts: true });
  assert.ok('text' in read, JSON.stringify(read));
  assert.partialDeepStrictEqual(read.keys, {
    'nexo-1-till-1-passphrase': 'test passphrase 0',
    'nexo-2-till-1-passphrase': 'test passphrase 1',
    'nexo-3-till-1-passphrase': 'test passphrase 2',
  });
  assert.doesNotMatch(read.text, /test passphrase/);
});
