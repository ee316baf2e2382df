import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { eventually, type Json, Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { testsThatNeed } from '../../support/needs.ts';
import { terminalName } from './cloud-till.ts';

const { after, before, test } = testsThatNeed('mosquitto');

const root = `poid/v1/${terminalName}`;

let dir: string;
let broker: Broker;
let stage: Stage;
/** Whoever keeps the books: it acknowledges what the test says. */
let sink: MqttClient;
const heard: Json[] = [];
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-metrics-'));
  broker = await Broker.start(dir);
  sink = await connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 100 });
  sink.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString())));
  await sink.subscribeAsync(`${root}/books`, { qos: 1 });
  const cloud = { url: broker.url, terminal: terminalName };
  stage = await Stage.open({ configuration: { cloud, metrics: { enabled: true } }, hosts: ['EDC'] });
});
after(async () => {
  await sink.endAsync(true);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

/** The samples of the link. */
async function samples(): Promise<Record<string, number>> {
  const text = await (await fetch(`${stage.screenUrl}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^poid_cloud_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

/** What the status says of the books. */
async function booksInStatus(): Promise<Json> {
  const status: Json = await (await fetch(`${stage.apiUrl}/sp/v1/status`)).json();
  return status.cloud.books;
}

async function acknowledge(): Promise<void> {
  const { stream } = heard.at(-1)!;
  const seq = Math.max(...heard.map((each) => each.seq));
  await sink.publishAsync(`${root}/books/ack`, JSON.stringify({ stream, seq }), { qos: 1, retain: true });
}

test('the link, what waits for the sink, and for how long', async () => {
  await eventually(samples, ({ connected }) => connected === 1);
  assert.deepEqual(Object.keys(await samples()), ['connected'], 'no sink has said what it has');
  assert.equal(await booksInStatus(), undefined);
  assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
  await eventually(
    async () => heard.length,
    (count) => count > 0,
  );
  // Its slip may change it once more after that.
  const caughtUp = async () => {
    await acknowledge();
    return samples();
  };
  const settled = await eventually(caughtUp, ({ unacknowledged }) => unacknowledged === 0);
  assert.equal(settled['unacknowledged_age_seconds'], 0);
  // The broker is away: the shop sells on, and its books wait.
  await broker.kill();
  for (let sale = 0; sale < 2; sale++) assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
  const waiting = await eventually(samples, ({ unacknowledged }) => unacknowledged === 2);
  assert.equal(waiting['connected'], 0);
  assert.equal((await eventually(booksInStatus, ({ oldestS }) => oldestS > 0)).waiting, 2);
  const later = await eventually(
    samples,
    (now) => now['unacknowledged_age_seconds']! > waiting['unacknowledged_age_seconds']!,
  );
  assert.equal(later['unacknowledged'], 2);
  await broker.restart();
  await eventually(caughtUp, ({ connected, unacknowledged }) => connected === 1 && unacknowledged === 0, 60_000);
  assert.equal(new Set(heard.map(({ id }) => id)).size, 3);
});
