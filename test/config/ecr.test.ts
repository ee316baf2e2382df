import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { configurationSchema } from '../../src/config/configuration.ts';
import { isPublishedKey } from '../../src/config/ecr-settings.ts';
import { findFaults } from '../../src/config/faults.ts';
import { mapSecrets, resolveKeys } from '../../src/config/keys.ts';
import { sampleConfiguration } from '../../src/config/sample.ts';
import { findUnsettable } from '../../src/config/settable.ts';
import { parseProvisioning } from '../../src/admin/provisioning.ts';

type Json = Readonly<Record<string, unknown>>;

const key = 'poid-test-key-16';
const notify = { url: 'https://odoo.example/qfpay/notify', key: 'notify-test-key' };
const till = { posId: 'POS-1', key, notify };
const base: Json = { ...sampleConfiguration(['EDC']).configuration, http: { tls: true } };

/** What is wrong with a configuration that has this as `ecr`, and where. */
function faultsOf(ecr: unknown, more: Json = {}): string[] {
  const resolved = resolveKeys({ ...base, ecr, ...more }, [], { keys: 'unread' });
  const { error } = configurationSchema.safeParse(resolved);
  return (error?.issues ?? []).map(({ path: place, message }) => `${place.join('.')}: ${message}`);
}
const ofTill = (changed: Json) => faultsOf({ tills: [{ ...till, ...changed }] });

test('it is off by default, and its defaults are those of the published interface', () => {
  const parse = (ecr: unknown) =>
    configurationSchema.parse(resolveKeys({ ...base, ...(ecr ? { ecr } : {}) }, [], { keys: 'unread' })).ecr;
  assert.equal(parse(undefined), undefined);
  const { port, currency, requests, answers, tills } = parse({ tills: [till] }) ?? assert.fail();
  assert.deepEqual([port, currency, requests, answers], [9001, 'HKD', 'encrypted', 'clear']);
  assert.deepEqual(tills[0]?.notify?.refundTypes, ['cancel', 'refund']);
});

test('a key has the length of an AES key, in bytes', () => {
  for (const good of [key, 'x'.repeat(24), 'x'.repeat(32), '八達通八xxxx']) {
    assert.deepEqual(ofTill({ key: good }), [], `${Buffer.byteLength(good)} bytes`);
  }
  for (const bad of ['', 'short', 'x'.repeat(17), '八'.repeat(16)]) {
    assert.match(ofTill({ key: bad }).join(), /^ecr\.tills\.0\.key: must have 16, 24 or 32 bytes/);
  }
});

test('a key is compared with the digest of the published one, in any case and between spaces', () => {
  const digest = createHash('sha256').update('published-test-key').digest('hex');
  for (const same of ['published-test-key', 'PUBLISHED-Test-Key', ' published-test-key\n']) {
    assert.equal(isPublishedKey(same, digest), true);
  }
  assert.equal(isPublishedKey('published-test-kez', digest), false);
  assert.equal(isPublishedKey(key), false);
});

const documents = process.env['POID_QFPAY_DOCS_DIR'];
const skip = documents === undefined && 'POID_QFPAY_DOCS_DIR names no checkout of QFPay/docs';

test('the default key that the page prints is refused, by the check and by the start', { skip }, () => {
  const page = readFileSync(path.join(documents ?? '', 'docs/pos/ecr.md'), 'utf8');
  const [, published = ''] = /The default POS-KEY is `([0-9a-f]{32})`/.exec(page) ?? [];
  assert.equal(published.length, 32);
  for (const each of [published, published.toUpperCase()]) {
    assert.match(ofTill({ key: each }).join(), /ecr\.tills\.0\.key: is the published default key/);
    const text = JSON.stringify({ ...base, ecr: { tills: [{ ...till, key: each }] } });
    const said = JSON.stringify(findFaults(text));
    assert.match(said, /published default key/);
    assert.ok(!said.includes(each));
  }
});

test('what contradicts the rest is refused at its place', () => {
  const two = [till, { posId: 'POS-2', key: 'poid-test-key-two' }];
  assert.match(faultsOf({ tills: two }).join(), /tills\.1\.key: must have/);
  const other = { posId: 'POS-2', key: 'poid-test-key-of-32-bytes-length' };
  assert.deepEqual(faultsOf({ tills: [till, other] }), []);
  assert.deepEqual(faultsOf({ tills: [till, { ...other, posId: 'POS-1' }] }), [
    'ecr.tills.1.posId: is that of ecr.tills.0 too: each needs its own',
  ]);
  assert.deepEqual(faultsOf({ tills: [till, { ...other, key }] }), [
    'ecr.tills.1.key: is that of ecr.tills.0 too: each needs its own',
  ]);
  assert.deepEqual(faultsOf({ tills: [till] }, { http: { tls: false } }), [
    'ecr: needs http.tls: its calls come over HTTPS only',
  ]);
  assert.deepEqual(faultsOf({ tills: [till], port: 8443 }, { http: { tls: true, port: 8443 } }), [
    'ecr.port: is http.port too',
  ]);
  const printed = 'ecr.tills.0.posId: has its receipts printed by the POS, which ECR can’t';
  assert.deepEqual(faultsOf({ tills: [till] }, { receipt: { printedBy: 'pos' } }), [printed]);
  assert.deepEqual(faultsOf({ tills: [till] }, { receipt: { printedByPosId: { 'POS-1': 'pos' } } }), [printed]);
  const own = { printedBy: 'pos', printedByPosId: { 'POS-1': 'terminal' } };
  assert.deepEqual(faultsOf({ tills: [till] }, { receipt: own }), []);
});

test('names of the terminal, no till, and unknown settings are refused', () => {
  assert.match(ofTill({ posId: 'OPERATOR' }).join(), /reserved for the terminal/);
  assert.match(ofTill({ posId: 'роid' }).join(), /reserved for the terminal/);
  assert.match(faultsOf({ tills: [] }).join(), /^ecr\.tills/);
  assert.match(faultsOf({ tills: [till], protocol: 'tcp' }).join(), /^ecr/);
  assert.match(faultsOf({ tills: [till], channels: { eps: 'EPS' } }).join(), /^ecr\.channels/);
});

test('notifications go to https, or to this machine; never with credentials', () => {
  const at = (url: string) => ofTill({ notify: { ...notify, url } });
  for (const good of [notify.url, 'http://127.0.0.1:8069/qfpay/notify', 'https://10.0.0.5:8443/x?db=shop']) {
    assert.deepEqual(at(good), [], good);
  }
  for (const bad of [
    'http://odoo.example/',
    'ftp://odoo.example/',
    'odoo.example',
    'https://a:b@odoo.example/',
    'https://odoo.example/#x',
  ]) {
    assert.match(at(bad).join(), /^ecr\.tills\.0\.notify\.url/, bad);
  }
  assert.match(ofTill({ notify: { ...notify, key: 'short' } }).join(), /notify\.key/);
});

test('its keys are secrets: stored apart by provisioning, named by a reference, and never from a fleet', () => {
  const configuration = {
    ...base,
    timeZone: 'Asia/Hong_Kong',
    ecr: { tills: [till, { posId: 'POS-2', key: 'x'.repeat(32) }] },
  };
  const acquirers = (base['acquirers'] as Json[]).map((each) => ({ ...each, security: 'none' }));
  const provisioned = parseProvisioning({ ...configuration, acquirers }, 'PT-1');
  assert.ok('text' in provisioned, JSON.stringify(provisioned));
  const { 'ecr-1-key': first, 'ecr-1-notify-key': second, 'ecr-2-key': third } = provisioned.keys;
  assert.deepEqual([first, second, third], [key, notify.key, 'x'.repeat(32)]);
  for (const secret of [key, notify.key, 'x'.repeat(32)]) assert.ok(!provisioned.text.includes(secret));
  const places: string[] = [];
  mapSecrets(configuration, (value, place) => (places.push(place), value));
  assert.deepEqual(
    places.filter((each) => each.startsWith('ecr')),
    ['ecr.tills.0.key', 'ecr.tills.0.notify.key', 'ecr.tills.1.key'],
  );
  const named = { ...configuration, ecr: { tills: [{ ...till, key: { credential: 'ecr-1-key' } }] } };
  const resolved = resolveKeys(named, [], { keys: { 'ecr-1-key': key } });
  assert.equal((resolved['ecr'] as { tills: Json[] }).tills[0]?.['key'], key);
  assert.throws(() => resolveKeys(named, [], { keys: {} }), /ecr\.tills\.0\.key/);
  assert.match(String(findUnsettable({ ecr: { tills: [till] } })), /ecr is not for a fleet to set/);
});
