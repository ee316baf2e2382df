import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DroppedKeys } from '../../src/admin/fleet/dropped-keys.ts';
import { FleetOverlay } from '../../src/admin/fleet/overlay.ts';
import { type Places, placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import { FleetKey } from '../fleet/fleet-key.ts';
import { served } from '../screen/watcher.ts';
import { provisioning } from './provisioning-input.ts';

const [old, next] = [new FleetKey(), new FleetKey()];
const own = [old.publicKey, next.publicKey];
const line = ({ publicKey: key }: FleetKey) => `${JSON.stringify({ key, version: 2, at: '2026-01-01T00:00:00Z' })}\n`;

let root: string;
let places: Places;
let list: string;
let record: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'poid-dropped-'));
  places = placesOf({ root }, '/var/lib/poid');
  mkdirSync(places.stateDir, { recursive: true });
  list = path.join(places.stateDir, 'fleet-keys.dropped');
  record = path.join(places.adminDir, 'fleet-keys.dropped');
});
afterEach(() => rmSync(root, { recursive: true }));

const inForce = (handedOver?: unknown) => new DroppedKeys(places).inForce(own, handedOver);

describe('a key that a document has dropped, for a process of root’s', () => {
  test('does not count; neither after the service has removed its list', async () => {
    assert.deepEqual(await inForce(), own);
    writeFileSync(list, line(old));
    assert.deepEqual(await inForce(), [next.publicKey]);
    rmSync(list);
    assert.deepEqual(await inForce(), [next.publicKey]);
    writeFileSync(list, '');
    assert.deepEqual(await inForce([]), [next.publicKey]);
  });

  test('does not count if the service hands it over: the unit of the agent can’t read its file', async () => {
    assert.deepEqual(await inForce([{ key: old.publicKey, version: 2, at: 'then' }, 'junk', {}]), [next.publicKey]);
    assert.deepEqual(await inForce(undefined), [next.publicKey]);
  });

  test('is recorded once; a key that is not the terminal’s is not recorded', async () => {
    writeFileSync(list, line(old) + line(new FleetKey()) + 'torn {"key":');
    for (let round = 0; round < 3; round++) await inForce();
    assert.deepEqual(readFileSync(record, 'utf8').trim().split('\n'), [line(old).trim()]);
  });

  test('a list that is a link, a directory or too large: no key counts, and nothing else is read', async () => {
    const secret = path.join(root, 'secret');
    writeFileSync(secret, line(old));
    symlinkSync(secret, list);
    assert.deepEqual(await inForce(), []);
    rmSync(list);
    mkdirSync(list);
    assert.deepEqual(await inForce(), []);
    rmSync(list, { recursive: true });
    writeFileSync(list, line(old).repeat(1_000));
    assert.deepEqual(await inForce(), []);
    assert.ok(!existsSync(record));
  });

  test('is refused in a file that is provisioned, after the service has removed its list', async () => {
    writeFileSync(list, line(old));
    await inForce();
    rmSync(list);
    const input = { ...provisioning, cloud: { url: 'mqtt://127.0.0.1:1883' }, fleet: { publicKeys: [old.publicKey] } };
    const refused = new RegExp(
      `fleet\\.publicKeys\\.0 was dropped by version 2 on \\S+, according to ${record}: name another`,
    );
    await assert.rejects(provision(input, 'in.json', { root }, undefined), refused);
    writeFileSync(list, line(old));
    const byBoth = new RegExp(`according to ${list} and ${record}: .* remove the line with this key there as root`);
    await assert.rejects(provision(input, 'in.json', { root }, undefined), byBoth);
    // As the message says it.
    for (const file of [list, record]) writeFileSync(file, '');
    assert.match(await provision(input, 'in.json', { root }, undefined), /is provisioned/);
  });

  test('a forged time of any length leaves root’s record readable', async () => {
    const key = old.publicKey;
    assert.deepEqual(await inForce([{ key, version: 2, at: 'x'.repeat(70_000) }]), [next.publicKey]);
    assert.deepEqual(await inForce(), [next.publicKey]);
  });
});

test('the update agent takes nothing from a document that a dropped key has signed, nor keeps what it took before', async (t) => {
  const screen = await served(t);
  const document = { kind: 'configuration', version: 1, for: { terminal: '1042' } };
  const { payload, properties } = old.message({ ...document, configuration: { updates: { forced: 'atOnce' } } });
  let dropped: unknown[] = [];
  screen.serveFleet(async () => ({
    payload: Buffer.from(payload).toString('base64'),
    signature: properties?.['signature'],
    dropped,
  }));
  const updates = { url: 'https://hawkbit.example' };
  const cloud = { url: 'mqtt://127.0.0.1:1883', terminal: '1042' };
  const settings = { ...provisioning, cloud, fleet: { publicKeys: own }, updates, screen: { port: screen.port } };
  await provision(settings, 'in.json', { root }, undefined);
  const agent = new FleetOverlay(places);
  assert.equal((await agent.present()).updates?.forced, 'atOnce');
  dropped = [{ key: old.publicKey, version: 2, at: 'then' }];
  assert.notEqual((await agent.present()).updates?.forced, 'atOnce');
  dropped = [];
  assert.notEqual((await agent.present()).updates?.forced, 'atOnce');
  assert.notEqual((await new FleetOverlay(places).present()).updates?.forced, 'atOnce');
});

test('the service’s user can neither read nor change root’s record', { skip: process.getuid?.() !== 0 }, async () => {
  writeFileSync(list, line(old));
  await inForce();
  const service = 64_000;
  for (const each of [root, path.join(root, 'var'), path.join(root, 'var/lib')]) chmodSync(each, 0o755);
  chownSync(places.stateDir, service, service);
  const program = `
    const fs = require('node:fs');
    const tried = (act) => { try { act(); return 'done'; } catch ({ code }) { return code; } };
    process.setgroups([]); process.setgid(${service}); process.setuid(${service});
    const [list, record, dir] = ${JSON.stringify([list, record, places.adminDir])};
    tried(() => fs.rmSync(list));
    console.log(JSON.stringify([
      tried(() => fs.readFileSync(record)), tried(() => fs.appendFileSync(record, 'x')), tried(() => fs.rmSync(record)),
      tried(() => fs.renameSync(dir, dir + '.away')),
    ]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8', cwd: '/' });
  assert.deepEqual(JSON.parse(stdout || stderr), ['EACCES', 'EACCES', 'EACCES', 'EACCES']);
  assert.deepEqual(await inForce(), [next.publicKey]);
});
