import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { overriddenBy } from '../../src/admin/fleet-document.ts';
import { placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import type { Json } from '../../src/config/json-file.ts';
import { FleetKeys } from '../../src/fleet/documents/fleet-keys.ts';
import { FleetKey } from '../fleet/fleet-key.ts';
import { provisioning, secret } from './provisioning-input.ts';

const [old, next] = [new FleetKey(), new FleetKey()];
const serialNumber = 'PT-000123';

let root: string;
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'poid-fleet-document-'))));
afterEach(() => rmSync(root, { recursive: true }));

const places = () => placesOf({ root }, '/var/lib/poid');
const stateFile = (name: string) => path.join(places().stateDir, name);
const input = (...keys: readonly FleetKey[]): Json => ({
  ...provisioning,
  cloud: { url: 'mqtt://127.0.0.1:1883' },
  fleet: { publicKeys: keys.map(({ publicKey }) => publicKey) },
});
const again = (file: Json, more = {}) => provision(file, 'in.json', { root, force: true, ...more }, undefined);

/** A terminal whose fleet has sent this. */
async function terminal(configuration: Json, ...[of]: readonly (string | undefined)[]): Promise<void> {
  await provision(input(old), 'in.json', { root }, undefined);
  const good = { version: 7, digest: 'd', configuration };
  writeFileSync(stateFile('fleet.json'), JSON.stringify({ ...(of === undefined ? {} : { terminal: of }), good }));
}

describe('provisioning a terminal of a fleet again', () => {
  test('tells each setting that the document overrides, before and after, and no secret', async () => {
    const [edc, qr] = structuredClone(input(old)['acquirers']) as [Json, Json];
    const acquirers = [
      { ...edc, tid: '87654321' },
      { ...qr, clientKey: { credential: 'another-key' } },
    ];
    await terminal({ shop: { name: 'Harbour Books' }, logLevel: 'info', acquirers });
    for (const said of [await again(input(old)), await again(input(old), { 'dry-run': true })]) {
      for (const line of [
        'version 7 of the fleet is laid over this configuration:',
        '  shop.name: "Harbour Tea House" → "Harbour Books"',
        '  logLevel: not set → "info"',
        '  acquirers.0.tid: "12345678" → "87654321"',
        '  acquirers.1.clientKey.credential: (not shown) → (not shown)',
      ])
        assert.ok(said.includes(`\n${line}`), `${line}\n${said}`);
      assert.doesNotMatch(said.slice(said.indexOf('version 7')), new RegExp(`${secret}|another-key|mid:|fleet\\.`));
    }
  });

  test('says that a document changes nothing, and nothing without one', async () => {
    await terminal({ shop: { name: 'Harbour Tea House' } });
    assert.match(await again(input(old)), /version 7 of the fleet .* changes nothing of it/);
    rmSync(stateFile('fleet.json'));
    assert.doesNotMatch(await again(input(old)), /of the fleet/);
  });

  test('tells the keys in force where documents have changed them', async () => {
    await terminal({});
    const keys = await FleetKeys.open(places().stateDir, serialNumber, [old.publicKey]);
    await keys.adopt(7, [old.publicKey, next.publicKey], new Date(0));
    assert.ok((await again(input(old))).includes(`  fleet.publicKeys.1: not set → "${next.publicKey}"`));
  });

  test('refuses a key that a document has dropped here, and changes nothing', async () => {
    await terminal({});
    const keys = await FleetKeys.open(places().stateDir, serialNumber, [old.publicKey, next.publicKey]);
    await keys.adopt(8, [next.publicKey], new Date('2026-11-26T00:00:00Z'));
    const before = readFileSync(places().configuration, 'utf8');
    await assert.rejects(
      again(input(next, old)),
      /^CommissioningError: nothing was changed: fleet\.publicKeys\.1 was dropped by version 8 on 2026-11-26T\S+, according to \S+\/lib\/poid\/fleet-keys\.dropped: name another key/,
    );
    assert.equal(readFileSync(places().configuration, 'utf8'), before);
    assert.match(await again(input(next)), /PT-000123 is provisioned/);
  });
});

describe('a state directory that comes from another machine', () => {
  for (const former of [undefined, 'PT-000122'] as const)
    test(`loses the document of ${former ?? 'the terminal before, which a version before has written'}`, async () => {
      await terminal({ shop: { name: 'Harbour Books' } }, former);
      writeFileSync(stateFile('fleet-keys.json'), '{}');
      writeFileSync(stateFile('fleet-keys.dropped'), '');
      // As docs/operations.md says it.
      rmSync(places().serialNumber);
      rmSync(places().configuration);
      const dry = { 'dry-run': true };
      assert.match(await again(input(old), dry), /what its fleet has sent to .* is removed/);
      assert.ok(existsSync(stateFile('fleet.json')));
      assert.match(await again(input(old)), /what its fleet has sent to .* is removed/);
      assert.deepEqual(
        ['fleet.json', 'fleet-keys.json', 'fleet-keys.dropped'].map((name) => existsSync(stateFile(name))),
        [false, false, true],
      );
    });
});

test('of a list each entry is compared, also those that are no longer there', () => {
  const own = { wallets: { A: { on: true } }, acquirers: [{ id: 'EDC', bins: ['4', '5'] }, { id: 'QR' }], cash: true };
  assert.deepEqual(overriddenBy(own, { acquirers: [{ id: 'EDC', bins: ['4'] }] }), [
    '  acquirers.0.bins.1: "5" → not set',
    '  acquirers.1.id: "QR" → not set',
  ]);
});
