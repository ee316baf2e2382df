import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { runDoctor } from '../../src/admin/doctor/doctor.ts';
import { checkCloud, checkFleet, checkUpdates } from '../../src/admin/doctor/fleet.ts';
import { type Machine, machineAt } from '../../src/admin/machine.ts';
import { type Places, placesOf } from '../../src/config/places.ts';
import { provision } from '../../src/admin/provision-command.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { ConfigurationStore } from '../../src/fleet/documents/configuration-store.ts';
import { selfSign } from '../../src/base/tls/certificate.ts';
import { FleetKey } from '../fleet/fleet-key.ts';
import { provisioning } from './provisioning-input.ts';

let root: string;
let places: Places;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'poid-doctor-'));
  places = placesOf({ root }, '/var/lib/poid');
  mkdirSync(places.stateDir, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** A machine whose systemctl says this. */
function machineWith(answer?: string): Machine {
  return { ...machineAt('/'), run: () => answer };
}

const now = new Date();

test('without broker, fleet and hawkBit each says what that means, and nothing fails', async () => {
  await provision(provisioning, 'in.json', { root }, undefined);
  const found = await runDoctor(places, { machine: machineWith() });
  const own = found.filter(({ part }) => ['cloud', 'fleet', 'updates'].includes(part));
  assert.deepEqual(
    own.map(({ part, verdict }) => `${part} ${verdict}`),
    ['cloud SKIPPED', 'fleet SKIPPED', 'updates SKIPPED'],
  );
  assert.match(own[0]?.detail ?? '', /tills of this network only/);
  assert.match(own[1]?.detail ?? '', /poid\.json is all that counts/);
});

test('the broker: a certificate that is missing, over, or soon over; connected, and not', () => {
  const file = (name: string) => path.join(root, name);
  const { key, cert } = selfSign(['T-1']);
  for (const [name, text] of [
    ['ca.pem', cert],
    ['T-1.pem', cert],
    ['T-1.key', key],
  ] as const)
    writeFileSync(file(name), text);
  const cloud = {
    url: 'mqtts://broker.example:8883',
    terminal: 'T-1',
    ca: file('ca.pem'),
    certificate: file('T-1.pem'),
    key: file('T-1.key'),
  } as Configuration['cloud'];
  const check = (state?: string, at = now) =>
    checkCloud({ cloud }, places, machineWith(), {
      status: state === undefined ? undefined : { cloud: { state } },
      now: at,
    });
  assert.equal(check().verdict, 'PASS');
  assert.match(
    check('connected').detail,
    /^T-1 at mqtts:\/\/broker\.example:8883, connected; its certificate is valid/,
  );
  const behind = (oldestS: number) => {
    const status = { cloud: { state: 'connected', books: { waiting: 7, oldestS } } };
    return checkCloud({ cloud }, places, machineWith(), { status, now });
  };
  assert.equal(behind(3_600).verdict, 'PASS');
  assert.equal(behind(2 * 86_400).verdict, 'WARN');
  assert.match(behind(2 * 86_400).detail, /^7 changes wait for the sink of the books, the oldest for 2 days$/);
  assert.equal(check('disconnected').verdict, 'WARN');
  assert.match(check('disconnected').remedy ?? '', /^journalctl -u poid/);
  const end = new Date(/until (.*)$/.exec(check().detail)?.[1] ?? '').getTime();
  assert.equal(check('connected', new Date(end - 86_400_000)).verdict, 'WARN');
  assert.equal(check('connected', new Date(end + 1_000)).verdict, 'FAIL');
  rmSync(file('T-1.key'));
  assert.match(check('disconnected').detail, /T-1\.key can't be read/);
  const unnamed = { url: 'mqtt://127.0.0.1:1883' } as Configuration['cloud'];
  assert.match(checkCloud({ cloud: unnamed }, places, machineWith(), { status: undefined, now }).detail, /no name/);
});

/** A terminal of a fleet, whose file the service has written. */
async function fleetTerminal(key: FleetKey) {
  await provision(provisioning, 'in.json', { root }, undefined);
  const own = JSON.parse(readFileSync(places.configuration, 'utf8')) as { acquirers: { id: string; port?: number }[] };
  const configured = {
    ...own,
    cloud: { url: 'mqtt://127.0.0.1:1', terminal: 'T-1' },
    fleet: { publicKeys: [key.publicKey] },
  };
  writeFileSync(places.configuration, JSON.stringify(configured));
  const store = await ConfigurationStore.open(path.join(places.stateDir, 'fleet.json'));
  return { own, store, configuration: await loadConfiguration([places.configuration], {}, { keys: 'unread' }) };
}

function kept(signer: FleetKey, version: number, configuration: Record<string, unknown>, terminal = 'T-1') {
  const message = signer.message({ kind: 'configuration', version, for: { terminal }, configuration });
  const signed = {
    payload: Buffer.from(message.payload).toString('base64'),
    signature: message.properties!['signature']!,
  };
  return { version, digest: '', configuration, signed };
}

test('the fleet: nothing yet, in use, refused, on trial, or a file that is none', async () => {
  const key = new FleetKey();
  const { store, configuration } = await fleetTerminal(key);
  const check = () => checkFleet(configuration, places);
  assert.deepEqual([(await check()).verdict, (await check()).detail], ['PASS', 'nothing has come yet']);
  await store.try(kept(key, 7, {}));
  assert.match((await check()).detail, /7 is on trial/);
  await store.begin(now);
  await store.confirm();
  assert.deepEqual([(await check()).verdict, (await check()).detail], ['PASS', 'version 7 is in use']);
  await store.refuse(8, 'tid is wrong', now);
  assert.deepEqual(
    [(await check()).verdict, (await check()).detail],
    ['WARN', 'version 7 is in use; 8 was refused: tid is wrong'],
  );
  writeFileSync(path.join(places.stateDir, 'fleet.json'), 'x');
  assert.equal((await check()).verdict, 'FAIL');
});

for (const [what, forge] of [
  [
    'without its signed document',
    ({ version, digest, configuration }: ReturnType<typeof kept>) => ({ version, digest, configuration }),
  ],
  ['signed by somebody else', () => kept(new FleetKey(), 7, {})],
  [
    'whose bytes were changed',
    (good: ReturnType<typeof kept>) => ({ ...good, signed: { ...good.signed, payload: 'e30=' } }),
  ],
] as const) {
  test(`the fleet: a document ${what} does not count, and the doctor says so`, async () => {
    const key = new FleetKey();
    const { store, configuration } = await fleetTerminal(key);
    await store.try(forge(kept(key, 7, {})));
    await store.begin(now);
    await store.confirm();
    const { verdict, detail } = await checkFleet(configuration, places);
    assert.equal(verdict, 'WARN', detail);
    assert.match(detail, /can't be verified with fleet\.publicKeys/);
  });
}

test('hosts are asked where the fleet has put them, and nowhere else', async () => {
  const key = new FleetKey();
  const { own, store } = await fleetTerminal(key);
  // A fleet can set the address of a host, but not how the terminal recognizes it.
  const acquirers = own.acquirers.map((each) => {
    const { security: _, ...rest } = each as { readonly security?: unknown; readonly port?: number };
    return rest.port === undefined ? rest : { ...rest, port: 1 };
  });
  const hosts = async () => {
    const found = await runDoctor(places, { machine: machineWith() });
    return found.filter(({ part, detail }) => part.startsWith('host ') && detail.includes(':1 ')).length;
  };
  const adopt = async (document: ReturnType<typeof kept>) => {
    await store.try(document);
    await store.begin(now);
    await store.confirm();
  };
  await adopt(kept(new FleetKey(), 1, { acquirers }));
  assert.equal(await hosts(), 0, 'forged');
  await adopt(kept(key, 2, { acquirers }, 'T-2'));
  assert.equal(await hosts(), 0, 'for another terminal');
  await adopt(kept(key, 3, { acquirers }));
  assert.notEqual(await hosts(), 0);
});

test('hawkBit is asked by a unit that runs, or not', () => {
  const updates = { url: 'https://hawkbit.example' } as Configuration['updates'];
  assert.equal(checkUpdates({ updates }, machineWith('active\n')).verdict, 'PASS');
  assert.match(checkUpdates({ updates }, machineWith('failed\n')).detail, /poid-update\.service is failed/);
  assert.equal(checkUpdates({ updates }, machineWith()).verdict, 'SKIPPED');
});
