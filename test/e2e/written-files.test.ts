import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { HawkbitServer } from '../../hw-sim/hawkbit/server.ts';
import { writtenFileAt, writtenFiles } from '../../src/base/domain/written-files.ts';
import { Poid, poid } from '../cli/poid.ts';
import { cloudSettings, connected, pairedKey, terminalName } from '../pos/cloud/cloud-till.ts';
import { provisioning } from '../admin/provisioning-input.ts';
import { FleetKey } from '../fleet/fleet-key.ts';
import { NexoTill } from '../pos/nexo/till.ts';
import { Broker } from '../support/broker.ts';
import { testsThatNeed } from '../support/needs.ts';
import { bundle, Stage as UpdateStage } from '../fleet/updates/stage.ts';
import { byCard, byCash, byEps, byOctopus, byScannedCode, byShownCode } from './customer.ts';
import { atShell } from './shell-till.ts';
import { Operator, password, poid as poidHere } from './operator.ts';
import { eventually, type Json, Stage } from './stage.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

const serialNumber = 'PT-000123';
const token = 'bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY';
/** What nobody may find on a terminal after a factory reset. */
const ofTheShop = ['Harbour Tea House', 'staff 7', 'POS-1', token, 'PRIVATE KEY', 'broker.example', '12345678'];

let root: string;
let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-day-'));
  root = path.join(dir, 'root');
});
after(() => rmSync(dir, { recursive: true, force: true }));

const below = (file: string) => path.join(root, file);

function put(file: string, text: string): void {
  mkdirSync(path.dirname(below(file)), { recursive: true });
  writeFileSync(below(file), text);
}

/** All files below `root`, as the terminal names them. */
function present(): string[] {
  const found = globSync('**/*', { cwd: root, withFileTypes: true }).filter((each) => !each.isDirectory());
  return found.map((each) => `/${path.relative(root, path.join(each.parentPath, each.name))}`).toSorted();
}

async function sellEverything(stage: Stage): Promise<void> {
  const ways = [byCard('visa'), byCard('unionpay', 'insert'), byScannedCode('ALIPAY'), byShownCode('FPS')];
  for (const way of [...ways, byOctopus(), byEps(), byCash()]) {
    const { body } = await stage.paid(way, { cashierId: 'staff 7' });
    assert.equal(body.responseResult, 'SUCCESS', `${way.name}: ${body.message}`);
  }
  assert.equal((await stage.post('drawer/open', { ...stage.named(), cashierId: 'staff 7' })).status, 200);
  await stage.post('print', { ...stage.named(), lines: [{ type: 'text', text: 'Table 12' }] });
}

const nexo = { port: 0, host: '127.0.0.1', poiId: 'POID-1', clear: true };

async function payByNexo(stage: Stage): Promise<void> {
  const { protocols } = await stage.status();
  const paid = new NexoTill({ port: protocols.nexo.port }).payment();
  await stage.tap('visa');
  assert.equal((await paid).body.PaymentResponse.Response.Result, 'Success');
}

/** A day with the broker, the fleet, the operator and a till that is unpaired again; the next start is with HTTPS. */
async function workADay(t: TestContext): Promise<Stage> {
  const fleet = new FleetKey();
  const acl = `user ${terminalName}\ntopic readwrite poid/v1/${terminalName}/#\nuser desk\ntopic readwrite #\n`;
  mkdirSync(path.join(dir, 'broker'));
  const broker = await Broker.start(path.join(dir, 'broker'), { tls: true, acl });
  t.after(() => broker.stop());
  const cloud = await cloudSettings(broker);
  const stage = await Stage.open({ configuration: { cloud, nexo, fleet: { publicKeys: [fleet.publicKey] } } });
  t.after(() => stage.close());
  assert.equal((await poidHere(stage, ['operator-password'], password)).code, 0);
  const operator = new Operator(stage);
  await operator.login();
  await sellEverything(stage);
  await payByNexo(stage);
  const settled = (await stage.settle()).body;
  assert.equal(settled.responseResult, 'SUCCESS', settled.message);
  const places = ['--config', stage.configuration, '--state-dir', stage.stateDir];
  assert.equal((await atShell(stage, 'trace', '--for', '1s', ...places)).code, 0);
  await pairedKey(stage.stateDir, 'POS-1');
  await pairedKey(stage.stateDir, 'POS-2');
  assert.equal((await poidHere(stage, ['unpair', 'POS-2'])).code, 0);
  const menu = await connected(broker, 'desk');
  t.after(() => menu.endAsync(true));
  const document = {
    kind: 'configuration',
    version: 1,
    for: { terminal: terminalName },
    configuration: { logLevel: 'debug' },
  };
  const { payload, properties = {} } = fleet.message(document);
  const sent = { qos: 1, retain: true, properties: { userProperties: { ...properties } } } as const;
  await menu.publishAsync(`poid/v1/${terminalName}/configuration`, Buffer.from(payload), sent);
  await eventually(
    async () => stage.running,
    (running) => !running,
  );
  const own: Json = JSON.parse(readFileSync(stage.configuration, 'utf8'));
  writeFileSync(stage.configuration, JSON.stringify({ ...own, http: { ...own.http, tls: true } }));
  await stage.startDaemon();
  // A crash leaves what an orderly end would remove.
  await stage.stopDaemon('SIGKILL');
  return stage;
}

/** What the documents have a technician install. */
async function installShop(t: TestContext, stage: Stage): Promise<void> {
  const file = path.join(dir, 'shop.json');
  const { screen: _screen, ...shop } = provisioning;
  mkdirSync(below('/etc/avahi/services'), { recursive: true });
  // The announcement of HTTPS has the certificate of the running terminal, which this root does not have.
  for (const [http, ...more] of [[{}], [{ tls: true }, '--force']] as const) {
    writeFileSync(file, JSON.stringify({ ...shop, http }));
    const { code, err } = await poid(t, 'provision', file, '--root', root, ...more);
    assert.equal(code, 0, err);
    if (more.length > 0) break;
    const announced = await poid(t, 'announce', '--root', root);
    assert.equal(announced.code, 0, announced.err);
  }
  cpSync(stage.stateDir, below('/var/lib/poid'), { recursive: true });
  for (const name of ['ca.pem', 'T-1.pem', 'T-1.key']) put(`/etc/poid/${name}`, 'PRIVATE KEY');
  put('/etc/poid/logo.png', 'Harbour Tea House');
  put('/etc/poid/maintenance-window', 'from=02:00\nuntil=05:00\n');
  put('/etc/credstore/poid.plain-update-token', token);
  put('/etc/credstore.encrypted/poid.update-token', token);
  put('/var/log/journal/0123/system.journal', 'POS-1');
  put('/var/lib/poid/pairings.json.123-1.new', 'POS-1');
  // Sockets are not copied.
  put('/var/lib/poid/trace.sock', '');
}

/** hawkBit's offer: the agent keeps the action, and downloads the bundle. */
async function beginUpdate(t: TestContext): Promise<void> {
  const { dir: programs } = await UpdateStage.open(t);
  const hawkbit = new HawkbitServer({ authorization: `TargetToken ${token}` });
  hawkbit.sleep = '00:00:01';
  await hawkbit.open();
  t.after(() => hawkbit.close());
  const own: Json = JSON.parse(readFileSync(below('/etc/poid/poid.json'), 'utf8'));
  const inHours = (hours: number) => `${String((new Date().getUTCHours() + hours) % 24).padStart(2, '0')}:00`;
  const updates = { url: hawkbit.url, pollMs: 1_000, window: { from: inHours(6), until: inHours(7) } };
  put('/etc/poid/poid.json', JSON.stringify({ ...own, timeZone: 'UTC', updates }));
  // Not the product's: what it finds on an image.
  put('/usr/lib/poid-image/version', '1.0.0\n');
  put('/proc/cmdline', 'rauc.slot=A ro\n');
  put('/proc/sys/kernel/random/boot_id', 'one\n');
  put('/etc/rauc/system.conf', '[system]\ncompatible=poid-amd64\n');
  const action = hawkbit.deploy(serialNumber, { content: bundle });
  const env = {
    PATH: `${programs}:${process.env['PATH']}`,
    CREDENTIALS_DIRECTORY: path.dirname(below('/etc/credstore/x')),
  };
  const agent = new Poid(t, ['fleet', 'update-agent', '--root', root], { env });
  await eventually(
    async () => action.feedback.at(-1)?.details[0],
    (detail) => detail === 'waits for the maintenance window',
  );
  process.kill(agent.pid, 'SIGKILL');
  await agent.ended;
  for (const each of ['usr', 'proc', 'etc/rauc']) rmSync(path.join(root, each), { recursive: true });
}

test('after a day of everything, each file is in the table; after a factory reset, nothing of the shop is left', async (t) => {
  const stage = await workADay(t);
  await installShop(t, stage);
  await beginUpdate(t);
  const all = present();
  assert.deepEqual(
    all.filter((file) => writtenFileAt(file) === undefined),
    [],
    'a module has written a file that is not in src/base/domain/written-files.ts',
  );
  // The day was one: what the table has of the state directory is there, but for what only other days leave.
  const otherDays = ['archive-*.jsonl.gz', 'fleet-keys.json', 'fleet-keys.dropped', 'key-counters.json'].map(
    (name) => `/var/lib/poid/${name}`,
  );
  const absent = writtenFiles
    .map(({ place }) => place)
    .filter((place) => place.startsWith('/var/lib/poid/') && !all.some((file) => writtenFileAt(file)?.place === place));
  assert.deepEqual(absent.toSorted(), otherDays.toSorted());
  for (const place of ['/var/lib/poid-update/', '/etc/avahi/services/poid.service*', '/etc/credstore/poid.*'])
    assert.ok(
      all.some((file) => writtenFileAt(file)?.place === place),
      place,
    );
  const { code, out, err } = await poid(t, 'factory-reset', '--root', root, '--yes', serialNumber);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, /left, because/);
  const left = present();
  assert.deepEqual(
    left.filter((file) => writtenFileAt(file)?.reset !== 'kept'),
    [],
  );
  assert.ok(left.length >= 2, left.join());
  for (const file of left) {
    const text = readFileSync(below(file), 'utf8');
    for (const word of ofTheShop) assert.ok(!text.includes(word), `${file} has ${word}`);
  }
});
