import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MqttClient } from 'mqtt';
import type { Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { testsThatNeed } from '../../support/needs.ts';
import { acl, cloudTill, connected, openCloudStage, pairedKey, terminalName } from './cloud-till.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

const packetBytesMax = 1_600;
const root = `poid/v1/${terminalName}`;

let dir: string;
let broker: Broker;
let stage: Stage;
let client: MqttClient;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-small-broker-'));
  broker = await Broker.start(dir, { tls: true, acl, settings: [`max_packet_size ${packetBytesMax}`] });
  stage = await openCloudStage(broker);
  client = await connected(broker, 'till');
});
after(async () => {
  await client.endAsync(true);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

test('mosquitto takes 1,600 bytes: a long answer is answerTooLong, a short one comes, and the connection stays', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'));
  const answer = await till.call('GET', '/sp/v1/capabilities');
  assert.deepEqual([answer.reason, answer['financialImpact']], ['answerTooLong', 'NONE']);
  assert.deepEqual((await stage.status()).cloud, { state: 'connected', tooLong: ['answer'] });
  const list = await till.call('GET', '/sp/v1/transactions?limit=1');
  assert.equal(list.responseResult, 'SUCCESS', JSON.stringify(list));
  const left = broker.log.filter((line) => /packet too large|oversize|Bad socket|disconnected/i.test(line));
  assert.deepEqual(left, []);
});

test('a call without a signature gets 401 with a reason, and pairing its own answer, though pairing is not required', async () => {
  const calling = (correlation: string, target: string, signature: Record<string, string>) => {
    const properties = {
      responseTopic: `${root}/answer/${correlation}`,
      correlationData: Buffer.from(correlation),
      messageExpiryInterval: 30,
      userProperties: { method: 'POST', target, ...signature },
    };
    return client.publishAsync(`${root}/call`, '{}', { qos: 1, properties });
  };
  await client.subscribeAsync(`${root}/answer/+`, { qos: 1 });
  const heard = new Map<string, { status: string; reason: string }>();
  let onHeard: () => void = () => undefined;
  client.on('message', (topic, payload, { properties }) => {
    const status = String(properties?.userProperties?.['status']);
    heard.set(topic.slice(`${root}/answer/`.length), { status, reason: JSON.parse(payload.toString()).reason });
    onHeard();
  });
  await calling('payment', '/sp/v1/payment', {});
  await calling('half', '/sp/v1/payment', { 'signature-input': 'x' });
  await calling('none', '/sp/v1/none', {});
  await calling('pairing', '/sp/v1/pairing', {});
  while (heard.size < 4) await new Promise<void>((resolve) => (onHeard = resolve));
  assert.deepEqual(Object.fromEntries(heard), {
    payment: { status: '401', reason: 'notPaired' },
    half: { status: '401', reason: 'notPaired' },
    none: { status: '401', reason: 'notPaired' },
    pairing: { status: '400', reason: 'fieldMissing' },
  });
});
