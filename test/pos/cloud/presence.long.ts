import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { connectAsync, type MqttClient } from 'mqtt';
import { readVersion } from '../../../build/version.ts';
import { eventually, type Json, Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { acl, cloudSettings, connected } from './cloud-till.ts';

const status = 'poid/v1/T-1/status';
/** A client like the terminal, which only ends as one that is cut off: what the broker does for it, it has done for those before it. */
const witness = { name: 'witness', topic: 'witness/will', delayS: 22 };

let dir: string;
let broker: Broker;
let stage: Stage;
let watcher: MqttClient;
let listener: MqttClient;
/** What was told of the terminal, to whoever listens all the time. */
const answer: Json[] = [];
const wills: string[] = [];
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-presence-'));
  broker = await Broker.start(dir, { tls: true, acl: `${acl}\nuser ${witness.name}\ntopic readwrite #\n` });
  watcher = await connected(broker, 'till');
  listener = await connected(broker, witness.name);
  watcher.on('message', (_topic, payload, { retain }) => !retain && answer.push(JSON.parse(payload.toString())));
  listener.on('message', (topic) => wills.push(topic));
  await Promise.all([watcher.subscribeAsync(status, { qos: 1 }), listener.subscribeAsync(witness.topic, { qos: 1 })]);
  // Each status of this test is one of a connect or of an end.
  const cloud = { ...(await cloudSettings(broker)), statusS: 86_400 };
  stage = await Stage.open({ configuration: { cloud }, hosts: ['EDC'] });
});
after(async () => {
  await Promise.all([watcher.endAsync(true), listener.endAsync(true)]);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

const states = () => answer.map(({ state }) => state as string);

/** Resolves with the n-th status. */
async function nth(count: number): Promise<Json> {
  await eventually(
    async () => answer.length,
    (heard) => heard >= count,
    60_000,
  );
  return answer[count - 1]!;
}

/** What a client hears that connects now. */
async function retained(): Promise<Json> {
  const client = await connected(broker, 'till');
  const heard = new Promise<Json>((resolve) => {
    client.on('message', (_topic, payload, packet) => {
      assert.equal(packet.retain, true);
      resolve(JSON.parse(payload.toString()));
    });
  });
  await client.subscribeAsync(status, { qos: 1 });
  const last = await heard;
  await client.endAsync(true);
  return last;
}

test('it is born with its version, retained', async () => {
  const birth = await nth(1);
  assert.deepEqual([birth.state, birth.version], ['online', readVersion().text]);
  assert.deepEqual(await retained(), birth);
});

test('killed and up again at once: nobody hears that it was away', async () => {
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const birth = await nth(2);
  assert.deepEqual(states(), ['online', 'online']);
  assert.ok(birth.since > answer[0]!.since);
  assert.deepEqual(await retained(), birth);
});

test('killed for good: the broker publishes its will, retained', async () => {
  await stage.stopDaemon('SIGKILL');
  assert.equal((await retained()).state, 'online');
  assert.deepEqual(await nth(3), { state: 'offline' });
  assert.deepEqual(states(), ['online', 'online', 'offline']);
  assert.deepEqual(await retained(), { state: 'offline' });
});

test('it is born again where its will was, and after its broker was killed', async () => {
  await stage.startDaemon();
  assert.equal((await nth(4)).state, 'online');
  await broker.kill();
  await broker.restart();
  // Whoever listens may be connected again later than the terminal.
  const birth = await eventually(retained, ({ at }) => at > answer[3]!.at, 60_000);
  assert.deepEqual([birth.state, birth.since], ['online', answer[3]!.since]);
});

test('stopped in order: it says so itself, and the broker has nothing to add', async () => {
  const { ca, certificate, key } = await broker.credentials(witness.name);
  const [authority, cert, privateKey] = await Promise.all([readFile(ca), readFile(certificate), readFile(key)]);
  const { topic, delayS } = witness;
  const like = await connectAsync(broker.url, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    ca: authority,
    cert,
    key: privateKey,
    clean: false,
    clientId: 'like-a-terminal',
    properties: { sessionExpiryInterval: 60 },
    will: { topic, payload: Buffer.alloc(0), qos: 1, retain: false, properties: { willDelayInterval: delayS } },
  });
  await eventually(
    async () => watcher.connected && listener.connected,
    (isUp) => isUp,
    60_000,
  );
  const before = answer.length;
  await stage.stopDaemon('SIGTERM');
  const end = await nth(before + 1);
  assert.equal(end.state, 'offline');
  assert.ok(end.at > answer[3]!.at, 'it was told by the terminal, which knows when');
  like.stream.destroy();
  await eventually(
    async () => wills.length,
    (heard) => heard === 1,
    60_000,
  );
  assert.equal(answer.length, before + 1);
  assert.deepEqual(await retained(), end);
});
