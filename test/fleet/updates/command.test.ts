import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { HawkbitServer } from '../../../hw-sim/hawkbit/server.ts';
import { ownDirectory, Poid, poid } from '../../cli/poid.ts';
import { served } from '../../screen/watcher.ts';
import { FleetKey } from '../fleet-key.ts';
import { earlyHints, hostileServer, switchingProtocols } from '../../base/dial/hostile-server.ts';
import { needs } from '../../support/needs.ts';
import { bundle, Stage } from './stage.ts';

const example = JSON.parse(await readFile(new URL('../../../systemd/poid.json', import.meta.url), 'utf8')) as object;
const token = 'bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY';

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** hawkBit with a certificate for 127.0.0.1, which is the terminal's too, and the files of it. hawkBit answers nobody without it. */
async function secureHawkbit(
  t: TestContext,
  dir: string,
): Promise<{ hawkbit: HawkbitServer; ca: string; key: string }> {
  const [key, ca] = [path.join(dir, 'hawkbit.key'), path.join(dir, 'hawkbit.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...words, ...name, '-keyout', key, '-out', ca], { stdio: 'ignore' });
  const cert = await readFile(ca, 'utf8');
  const tls = { key: await readFile(key, 'utf8'), cert, ca: cert, requestCert: true };
  const hawkbit = new HawkbitServer({ tls, authorization: `TargetToken ${token}` });
  hawkbit.sleep = '00:00:01';
  await hawkbit.open();
  t.after(() => hawkbit.close());
  return { hawkbit, ca, key };
}

/** What the terminal hands over of its fleet's document. */
function signedBy(key: FleetKey, updates: object): unknown {
  const document = { kind: 'configuration', version: 1, for: { terminal: '1042' }, configuration: { updates } };
  const { payload, properties } = key.message(document);
  return { payload: Buffer.from(payload).toString('base64'), signature: properties?.['signature'] };
}

async function untilSaid(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test(
  'the command: over HTTPS, from the offer to `systemctl reboot`, with what the terminal says on loopback',
  needs('openssl'),
  async (t) => {
    const dir = await ownDirectory(t);
    const { dir: programs } = await Stage.open(t);
    const { hawkbit, ca, key: ownKey } = await secureHawkbit(t, dir);
    const screen = await served(t);
    let state = 'authorizing';
    screen.serveStatus(async () => ({ state, pendingReversals: 0 }));
    const root = path.join(dir, 'root');
    const updates = { url: hawkbit.url, ca, certificate: ca, key: ownKey, pollMs: 1_000 };
    const stateDir = '/var/lib/poid';
    const key = new FleetKey();
    const fleet = { publicKeys: [key.publicKey] };
    const cloud = { url: 'mqtt://127.0.0.1:1883' };
    await write(
      path.join(root, 'etc/poid/poid.json'),
      JSON.stringify({ ...example, stateDir, screen: { port: screen.port }, updates, fleet, cloud }),
    );
    await write(path.join(root, 'etc/poid/serial-number'), '1042\n');
    await write(path.join(root, 'usr/lib/poid-image/version'), '1.0.0\n');
    await write(path.join(root, 'proc/cmdline'), 'rauc.slot=A ro\n');
    await write(path.join(root, 'proc/sys/kernel/random/boot_id'), 'one\n');
    await write(path.join(root, 'etc/rauc/system.conf'), '[system]\ncompatible=poid-amd64\n');
    await write(path.join(dir, 'credentials/poid.update-token'), `${token}\n`);
    // What the fleet has signed counts, and nothing that the service says besides: a window of some hours from now.
    const inHours = (hours: number) => `${String((new Date().getHours() + hours) % 24).padStart(2, '0')}:00`;
    const shut = { from: inHours(6), until: inHours(7) };
    const open = { from: inHours(0), until: inHours(2) };
    let kept: unknown = signedBy(key, { window: shut });
    let calls = 0;
    screen.serveFleet(async () => {
      calls += 1;
      return kept;
    });
    const thief = new HawkbitServer();
    await thief.open();
    t.after(() => thief.close());
    const action = hawkbit.deploy('1042', { content: bundle });
    const env = { PATH: `${programs}:${process.env['PATH']}`, CREDENTIALS_DIRECTORY: path.join(dir, 'credentials') };
    const agent = new Poid(t, ['fleet', 'update-agent', '--root', root], { env });
    const detail = () => action.feedback.at(-1)?.details[0];
    await untilSaid(() => detail() === 'waits for the maintenance window');
    for (const forged of [
      signedBy(new FleetKey(), { window: open, url: thief.url }),
      signedBy(key, { window: open, url: thief.url }),
      { good: { configuration: { updates: { window: open, url: thief.url } } } },
      undefined,
    ]) {
      kept = forged;
      const before = calls;
      // With the second, the first was judged.
      await untilSaid(() => calls >= before + 2);
      assert.equal(detail(), 'waits for the maintenance window');
    }
    kept = signedBy(key, { window: open });
    await untilSaid(() => detail() === 'waits until nobody pays');
    state = 'idle';
    const restarts = () => readFile(path.join(programs, 'restarts'), 'utf8').catch(() => '');
    for (let reported = ''; reported === ''; reported = await restarts())
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await restarts(), 'reboot\n');
    const attributes = hawkbit.attributesOf('1042');
    assert.deepEqual(
      [attributes?.['image'], attributes?.['slot'], attributes?.['compatible']],
      ['1.0.0', 'A', 'poid-amd64'],
    );
    process.kill(agent.pid, 'SIGTERM');
    const { code, err } = await agent.ended;
    assert.equal(code, 0, err);
    assert.ok(!err.includes(token), 'the token is in no log');
    assert.deepEqual(thief.asked, [], 'and nobody else has it');
  },
);

test('a server that nobody vouches for, no token, no updates', needs('openssl'), async (t) => {
  const dir = await ownDirectory(t);
  const { hawkbit } = await secureHawkbit(t, dir);
  const file = path.join(dir, 'poid.json');
  const call = ['fleet', 'update-agent', '--config', file, '--state-dir', path.join(dir, 'state')];
  await write(file, JSON.stringify(example));
  assert.deepEqual((await poid(t, ...call)).out, 'the configuration has no updates\n');
  await write(file, JSON.stringify({ ...example, updates: { url: hawkbit.url, controllerId: 'T', pollMs: 1_000 } }));
  const without = await poid(t, ...call);
  assert.equal(without.code, 1);
  assert.match(without.err, /credential poid\.update-token \(or poid\.plain-update-token, not sealed\) is missing/);
  await write(path.join(dir, 'credentials/poid.plain-update-token'), token);
  const agent = new Poid(t, call, { env: { CREDENTIALS_DIRECTORY: path.join(dir, 'credentials') } });
  await untilSaid(() => /self-signed certificate/.test(agent.err));
  assert.deepEqual(hawkbit.asked, []);
});

test('the command logs that a server answers without end, and obeys SIGTERM meanwhile', {
  timeout: 60_000,
}, async (t) => {
  const dir = await ownDirectory(t);
  const answers = [switchingProtocols, earlyHints.repeat(100), 'HTTP/1.1 200 OK\r\nX: '];
  let asked = 0;
  const port = await hostileServer(t, (socket) => void socket.write(answers[asked++] ?? ''));
  const file = path.join(dir, 'poid.json');
  await write(path.join(dir, 'credentials/poid.plain-update-token'), token);
  const call = ['fleet', 'update-agent', '--config', file, '--state-dir', path.join(dir, 'state')];
  const env = { CREDENTIALS_DIRECTORY: path.join(dir, 'credentials') };
  const url = `http://127.0.0.1:${port}`;
  await write(file, JSON.stringify({ ...example, updates: { url, controllerId: 'T', pollMs: 1_000 } }));
  for (const reason of [/status 101/, /interim answers/, undefined]) {
    const agent = new Poid(t, call, { env });
    const before = asked;
    await untilSaid(() => (reason ? reason.test(agent.err) : asked > before));
    process.kill(agent.pid, 'SIGTERM');
    assert.equal((await agent.ended).code, 0, agent.err);
  }
});
