import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MqttClient } from 'mqtt';
import type { Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { testsThatNeed } from '../../support/needs.ts';
import { acl, awaitLink, cloudTill, connected, openCloudStage, pairedKey } from './cloud-till.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

let dir: string;
let broker: Broker;
let stage: Stage;
let client: MqttClient;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-'));
  broker = await Broker.start(dir, { tls: true, acl });
  stage = await openCloudStage(broker);
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
});

test('one terminal, two ways: each is told that the other’s payment runs, and reads what it has paid', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'));
  const request = stage.saleRequest({ posId: 'CLOUD-1' });
  const paying = till.pay(request);
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  // The merchant sees who asks, and that it is not a till of the shop.
  const shown = await stage.view(({ asker }) => asker !== undefined);
  assert.deepEqual(shown.asker, { posId: 'CLOUD-1', cloud: true });
  const lan = await stage.payment(stage.saleRequest());
  assert.equal(lan.status, 409);
  assert.deepEqual(lan.body.running, { posId: 'CLOUD-1', messageId: request.messageId });
  await stage.tap('mastercard');
  assert.equal((await paying).is, 'done');

  const local = stage.begun();
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  assert.deepEqual((await stage.view(({ asker }) => asker !== undefined)).asker, { posId: 'POS-1' });
  const busy = await till.pay(stage.saleRequest({ posId: 'CLOUD-1' }));
  assert.equal(busy.is === 'notDone' && busy.answer.reason, 'busy');
  await stage.tap('mastercard');
  assert.equal((await local.answer).body.responseResult, 'SUCCESS');
});

test('eight POSTs of one payment wait: cancel and enquiry are answered, and the till is never told "not done"', async () => {
  const key = await pairedKey(stage.stateDir, 'CLOUD-1');
  const patient = cloudTill(client, key, { holdMs: 60_000 });
  const till = cloudTill(client, key, { holdMs: 2_000, repeatMs: 100, pauseMs: 100 });
  const before = (await stage.posted()).length;
  const request = stage.saleRequest({ posId: 'CLOUD-1' });
  const first = patient.pay(request);
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  const repeats = Array.from({ length: 8 }, () => patient.call('POST', '/sp/v1/payment', request));
  assert.equal((await till.enquiry(request)).responseResult, 'PROCESSING');
  const again = till.pay(request);
  await stage.tap('mastercard');
  for (const outcome of await Promise.all([first, again])) assert.equal(outcome.is, 'done', JSON.stringify(outcome));
  const reported = (await Promise.all(repeats)).map(({ responseResult }) => responseResult);
  assert.ok(reported.includes('SUCCESS'));
  assert.deepEqual(
    reported.filter((each) => each !== 'SUCCESS' && each !== 'PROCESSING'),
    [],
  );
  assert.equal((await stage.posted()).length, before + 1);

  const unwanted = stage.saleRequest({ posId: 'CLOUD-1' });
  const waiting = Array.from({ length: 12 }, () => patient.call('POST', '/sp/v1/payment', unwanted));
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  assert.equal((await till.cancel(unwanted)).responseResult, 'SUCCESS');
  for (const { responseResult: result } of await Promise.all(waiting))
    assert.ok(result === 'TRANSACTION_ALREADY_CANCEL' || result === 'PROCESSING', result);
  const { is, answer } = await till.outcome(unwanted);
  assert.deepEqual([is, answer?.financialImpact], ['notDone', 'NONE']);
});

test('a till changes its key without a visit: the old one is good until the new one is used, and then no more', async () => {
  const old = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'));
  const lost = await old.rotate('CLOUD-1');
  // That answer is lost, say: the old key goes on, and agrees on another.
  const key = await old.rotate('CLOUD-1');
  assert.equal((await old.call('GET', '/sp/v1/status')).responseResult, 'SUCCESS');
  const renewed = cloudTill(client, key);
  const paying = renewed.pay(stage.saleRequest({ posId: 'CLOUD-1' }));
  await stage.tap('mastercard');
  assert.equal((await paying).is, 'done');
  for (const gone of [old, cloudTill(client, lost)])
    await assert.rejects(gone.call('GET', '/sp/v1/status'), /not signed: 401 keyid is not known/);
  await assert.rejects(renewed.rotate('CLOUD-2'), /belongs to another posId/);
});

test('the broker is killed in the middle of a payment: it goes on, and the till is told of it afterwards', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'), { holdMs: 1_000, pauseMs: 100 });
  const before = (await stage.posted()).length;
  const request = stage.saleRequest({ posId: 'CLOUD-1' });
  const paying = till.pay(request);
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  await broker.kill();
  await stage.tap('mastercard');
  await stage.view(({ scene }) => scene === 'approved');
  assert.deepEqual((await stage.status()).cloud, { state: 'disconnected' });
  await broker.restart();
  const outcome = await paying;
  assert.equal(outcome.is, 'done', JSON.stringify(outcome));
  assert.equal((await stage.posted()).length, before + 1);
});

test('the terminal is killed in the middle of a payment: the till is told that nothing was charged, and nothing is booked', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'), { holdMs: 1_000, pauseMs: 100 });
  const before = (await stage.posted()).length;
  const paying = till.pay(stage.saleRequest({ posId: 'CLOUD-1' }));
  await stage.view(({ scene }) => scene === 'chooseMethod' || scene === 'presentCard');
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const outcome = await paying;
  assert.equal(outcome.is, 'notDone', JSON.stringify(outcome));
  assert.equal((await stage.posted()).length, before);
});

test('a terminal without its broker starts, and takes the payments of its shop', async () => {
  const statuses: string[] = [];
  const offline = new Promise<void>((resolve) => {
    client.on('message', (topic, payload) => {
      if (topic !== 'poid/v1/T-1/status') return;
      statuses.push(JSON.parse(payload.toString()).state);
      if (statuses.at(-1) === 'offline') resolve();
    });
  });
  await client.subscribeAsync('poid/v1/T-1/status', { qos: 1 });
  await stage.stopDaemon('SIGTERM');
  await offline;
  // The first is what the broker has retained.
  assert.equal(statuses[0], 'online');
  await broker.kill();
  await stage.startDaemon();
  assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
  assert.deepEqual((await stage.status()).cloud, { state: 'disconnected' });
  await broker.restart();
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'), { holdMs: 1_000, pauseMs: 100 });
  const outcome = await till.outcome({ posId: 'CLOUD-1', messageId: 'none', sentAt: new Date(0) });
  assert.equal(outcome.answer?.responseResult, 'NOT_FOUND', JSON.stringify(outcome));
});

test('a terminal whose keys can’t be read says so, lets no till of the cloud in, and takes the payments of its shop', async () => {
  const till = cloudTill(client, await pairedKey(stage.stateDir, 'CLOUD-1'), { holdMs: 1_000, pauseMs: 100 });
  await stage.stopDaemon('SIGTERM');
  await truncate(path.join(stage.stateDir, 'pairings.json'), 20);
  await stage.startDaemon();
  assert.match(stage.log, /pairings\.json holds no valid keys: delete it and pair again/);
  assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
  await awaitLink(stage);
  await assert.rejects(till.rotate('CLOUD-1'), /has not signed: 500/);
});
