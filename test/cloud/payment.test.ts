import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { MqttClient } from 'mqtt';
import { Stage } from '../e2e/stage.ts';
import { Broker } from '../support/broker.ts';
import { acl, cloudSettings, cloudTill, connected, pairedKey, terminalName } from './cloud-till.ts';

let dir: string;
let broker: Broker;
let stage: Stage;
let client: MqttClient;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-'));
  broker = await Broker.start(dir, { tls: true, acl });
  stage = await Stage.open({ configuration: { cloud: await cloudSettings(broker) }, hosts: ['EDC'] });
  client = await connected(broker, 'till');
});
after(async () => {
  await client.endAsync(true);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

test('a till in the cloud takes a payment, and the host has booked what it was told', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'));
  const paying = till.pay(stage.saleRequest({ posId: 'CLOUD-1' }));
  await stage.tap('mastercard');
  const outcome = await paying;
  assert.equal(outcome.is, 'done', JSON.stringify(outcome));
  assert.equal((await stage.posted()).length, 1);
  assert.deepEqual((await stage.status()).cloud, { state: 'connected' });
  assert.equal(terminalName, 'T-1');
});
