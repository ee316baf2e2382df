import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IPublishPacket, MqttClient } from 'mqtt';
import { mqttFetch } from '../../../src/pos/client/client.ts';
import type { Json, Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { testsThatNeed } from '../../support/needs.ts';
import { acl, cloudTill, connected, openCloudStage, pairedKey } from './cloud-till.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

/** A thief who may read and write every topic: whoever has the broker. */
let thief: MqttClient;
let dir: string;
let broker: Broker;
let stage: Stage;
let client: MqttClient;
let key: { keyId: string; key: string };
/** All that passed through the broker, by its topic. */
const passed: { readonly topic: string; readonly payload: string; readonly packet: IPublishPacket }[] = [];
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-'));
  broker = await Broker.start(dir, { tls: true, acl });
  stage = await openCloudStage(broker);
  thief = await connected(broker, 'thief');
  thief.on('message', (topic, payload, packet) => passed.push({ topic, payload: payload.toString(), packet }));
  await thief.subscribeAsync('#', { qos: 1 });
  client = await connected(broker, 'till');
  key = await pairedKey(stage.stateDir, 'CLOUD-1');
});
after(async () => {
  await Promise.all([client.endAsync(true), thief.endAsync(true)]);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

const callTopic = 'poid/v1/T-1/call';
const own = 'poid/v1/T-1/answer/thief';

/** Publishes a call as the thief, with what a call needs besides a signature. */
async function forge(body: Json, properties: Record<string, string> = {}, packet: Json = {}): Promise<void> {
  const { responseTopic = own, retain = false } = packet;
  await thief.publishAsync(callTopic, typeof body === 'string' ? body : JSON.stringify(body), {
    qos: 1,
    retain,
    properties: {
      responseTopic,
      correlationData: Buffer.from('thief'),
      messageExpiryInterval: 60,
      userProperties: { method: 'POST', target: '/sp/v1/payment', ...properties },
    },
  });
}

/** The next message on a topic that passes the broker from now on. */
function next(topic: string): Promise<{ readonly payload: string; readonly packet: IPublishPacket }> {
  return new Promise((resolve) => {
    const hear = (at: string, payload: Buffer, packet: IPublishPacket) => {
      if (at !== topic) return;
      thief.removeListener('message', hear);
      resolve({ payload: payload.toString(), packet });
    };
    thief.on('message', hear);
  });
}

/** Resolves once this client, which connects again by itself, is connected. */
async function reconnected(each: MqttClient): Promise<void> {
  if (!each.connected) await new Promise<void>((resolve) => each.once('connect', () => resolve()));
}

/** A call of the till that has been answered: everything that was brought before it has been read. */
async function assertNothingStarted(): Promise<void> {
  const status = await cloudTill(client, key).call('GET', '/sp/v1/status');
  assert.equal(status['state'], 'idle');
}

test('an unsigned call gets a 401 alone, and begins nothing', async () => {
  const answer = next(own);
  await forge(stage.saleRequest({ posId: 'CLOUD-1' }));
  const { payload, packet } = await answer;
  assert.equal(packet.properties?.userProperties?.['status'], '401');
  assert.equal(JSON.parse(payload).reason, 'notPaired');
  await assertNothingStarted();
});

test('a call of a till that is sent again gets a 401, and one that is kept back begins nothing', async () => {
  const request = stage.saleRequest({ posId: 'CLOUD-1' });
  const paying = cloudTill(client, key).pay(request);
  await stage.tap('mastercard');
  assert.equal((await paying).is, 'done');
  const call = passed.findLast(({ topic, payload }) => topic === callTopic && payload.includes(request.messageId));
  const signed = call?.packet.properties?.userProperties as Record<string, string>;
  const answer = next(own);
  await forge(call?.payload, signed);
  assert.equal((await answer).packet.properties?.userProperties?.['status'], '401');
  // Its signature does not fit another amount either.
  const changed = next(own);
  await forge((call?.payload ?? '').replace('30', '31'), signed);
  assert.equal((await changed).packet.properties?.userProperties?.['status'], '401');
  assert.equal((await stage.posted()).length, 1);
});

test('a retained call is not carried out: not when it is sent, and not at the next connect', async () => {
  const seen = passed.length;
  await forge(stage.saleRequest({ posId: 'CLOUD-1' }), {}, { retain: true });
  await assertNothingStarted();
  await broker.kill();
  await broker.restart();
  await Promise.all([reconnected(client), reconnected(thief)]);
  const till = cloudTill(client, key, { pauseMs: 100, askMs: 500 });
  await till.outcome({ posId: 'CLOUD-1', messageId: 'none', sentAt: new Date(0) });
  await assertNothingStarted();
  // It was not even refused: nothing was published for it.
  assert.deepEqual(
    passed.slice(seen).filter(({ topic }) => topic === own),
    [],
  );
  await thief.publishAsync(callTopic, '', { qos: 1, retain: true });
});

test('the terminal writes to no topic of another, whatever a call names', async () => {
  const seen = passed.length;
  for (const responseTopic of ['poid/v1/T-2/call', 'poid/v1/T-1/status', 'poid/v1/T-1/books/ack'])
    await forge(stage.saleRequest({ posId: 'CLOUD-1' }), {}, { responseTopic });
  await assertNothingStarted();
  const forged = passed.slice(seen).filter(({ packet }) => packet.properties?.correlationData?.toString() === 'thief');
  assert.deepEqual(
    forged.map(({ topic }) => topic),
    [callTopic, callTopic, callTopic],
  );
});

test('a till counts no answer that the terminal has not signed, or signed for another call', async () => {
  const till = cloudTill(client, key, { askMs: 1_000, giveUpMs: 1, pauseMs: 10 });
  // The terminal is away, and the thief answers in its place.
  await stage.stopDaemon('SIGKILL');
  const signedBefore = passed.findLast(({ packet }) => packet.properties?.userProperties?.['signature'] !== undefined);
  thief.on('message', (topic, _payload, { properties }) => {
    if (topic !== callTopic || !properties?.responseTopic) return;
    const body = JSON.stringify({ posId: 'CLOUD-1', messageId: 'M-9', responseResult: 'SUCCESS', responseCode: 0 });
    for (const fields of [{}, signedBefore?.packet.properties?.userProperties ?? {}])
      thief.publish(properties.responseTopic, body, {
        properties: {
          ...(properties.correlationData ? { correlationData: properties.correlationData } : {}),
          userProperties: { ...fields, status: '200' },
        },
      });
  });
  const outcome = await till.outcome({ posId: 'CLOUD-1', messageId: 'M-9' });
  assert.equal(outcome.is, 'unknown', JSON.stringify(outcome));
  // Without a key a till believes anybody: the forgery itself is well-formed.
  const fetch = mqttFetch(client, { terminal: 'T-1' });
  const forged = await fetch('https://t-1.poid/sp/v1/enquiry', { method: 'POST', body: '{}' });
  assert.equal(((await forged.json()) as Json).responseResult, 'SUCCESS');
  await stage.startDaemon();
});

test('no card number passes the broker', () => {
  assert.ok(passed.length > 10);
  for (const { payload } of passed) assert.doesNotMatch(payload, /\b\d{13,19}\b(?!")/);
});
