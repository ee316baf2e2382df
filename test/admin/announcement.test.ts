import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createServer } from 'node:tls';
import { announce, announced, announcementText } from '../../src/admin/announcement.ts';
import { placesOf } from '../../src/config/places.ts';
import { configurationSchema } from '../../src/config/configuration.ts';
import { currentVersion } from '../../src/observability/version.ts';
import { tlsIdentity } from '../../src/base/tls/tls-identity.ts';
import { poid } from '../cli/poid.ts';
import { provisioning } from './provisioning-input.ts';

let root: string;
const places = () => placesOf({ root }, '/var/lib/poid');
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'poid-announcement-'))));
afterEach(() => rmSync(root, { recursive: true }));

const { serialNumber: _serial, ...settings } = provisioning;
const configured = (http: object, more: object = {}) => configurationSchema.parse({ ...settings, http, ...more });

test('port, version, path, TLS port, fingerprint and pairing stand in Avahi’s form', () => {
  const text = announcementText({ port: 8443, fingerprint: 'AB:CD', isPairingRequired: true });
  assert.deepEqual(
    Array.from(text.matchAll(/<txt-record>(.*)<\/txt-record>/g), ([, record]) => record),
    ['txtvers=1', `version=${currentVersion()}`, 'path=/sp/v1', 'tls=8443', 'fp=AB:CD', 'pairing=required'],
  );
  assert.match(text, /<type>_poid\._tcp<\/type>\n    <port>8443<\/port>/);
});

test('a terminal with TLS is announced with the certificate that it shows, and anew when that is another', async () => {
  mkdirSync(path.dirname(places().announcement), { recursive: true });
  mkdirSync(places().stateDir, { recursive: true });
  const fingerprints = [];
  for (const _time of [1, 2]) {
    const { key, cert, fingerprint } = await tlsIdentity(places().stateDir, () => []);
    assert.equal(fingerprint, new X509Certificate(cert).fingerprint256);
    const server = createServer({ key, cert }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const configuration = configured({ tls: true, port }, { pairing: { required: true } });
    assert.equal(await announce(await announced(configuration), places()), 'written');
    assert.equal(await announce(await announced(configuration), places()), 'unchanged');
    assert.match(readFileSync(places().announcement, 'utf8'), new RegExp(`<txt-record>fp=${fingerprint}<`));
    assert.equal(statSync(places().announcement).mode & 0o777, 0o644);
    fingerprints.push(fingerprint);
    rmSync(path.join(places().stateDir, 'tls.pem'));
    server.close();
    await once(server, 'close');
    // Not without its fingerprint: what a till was told stays.
    await assert.rejects(announced(configuration), /shows no certificate at 127\.0\.0\.1:\d+ \(.*\): start it first/);
  }
  assert.notEqual(fingerprints[0], fingerprints[1]);
  assert.equal(await announce(undefined, places()), 'removed');
  assert.equal(existsSync(places().announcement), false);
});

test('what no till can reach is not announced; without TLS there is no fingerprint', async () => {
  assert.equal(await announced(configured({ host: '127.0.0.1' })), undefined);
  assert.equal(await announced(configured({ host: '::1' })), undefined);
  assert.equal(await announced(configured({ port: 0 })), undefined);
  assert.deepEqual(await announced(configured({})), {
    port: 8080,
    fingerprint: undefined,
    isPairingRequired: false,
  });
});

test('poid announce says what it did, with and without Avahi, and removes it with the configuration', async (t) => {
  const said = async () => {
    const { code, out, err } = await poid(t, 'announce', '--root', root);
    assert.equal(code, 0, err);
    return out;
  };
  mkdirSync(path.dirname(places().configuration), { recursive: true });
  writeFileSync(places().configuration, JSON.stringify(settings));
  assert.match(await said(), /is not written: Avahi is not installed/);
  mkdirSync(path.dirname(places().announcement), { recursive: true });
  assert.match(await said(), /poid\.service tells Avahi/);
  rmSync(places().configuration);
  assert.match(await said(), /is removed/);
});
