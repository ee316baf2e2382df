import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange, type Notification } from '../../../../drivers/card-reader/mms/exchange.ts';
import { cancel, start } from '../../../../drivers/card-reader/mms/commands.ts';
import { request } from '../contract.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { ScriptedPath } from '../scripted-path.ts';
import { reportsOf } from './stage.ts';
import { answerTo, named } from './fixture-messages.ts';

const limits = { timeoutMs: 1_000 };
const stripe = named('stripe');

/** The start has been answered. */
async function started() {
  const path = new ScriptedPath();
  const clock = new ManualClock();
  const exchange = new Exchange(path, clock, 500);
  const send = (...messages: Uint8Array[]) => {
    for (const message of messages) for (const report of reportsOf(message)) path.receive(report);
  };
  const reply = exchange.request(start(request), limits);
  await settled();
  send(answerTo(0x01, 'start answer'));
  assert.equal((await reply).kind, 'response');
  return { path, clock, exchange, send };
}

test('what was heard is wiped once it was listened to, and when nobody will', async () => {
  const { exchange, send } = await started();
  const heard: Notification[] = [];
  send(stripe, stripe);
  const result = await exchange.listen(limits, (notification) => {
    assert.ok(notification.data.some((byte) => byte !== 0));
    heard.push(notification);
    return heard.length === 2 ? 'enough' : undefined;
  });
  assert.deepEqual(result, { kind: 'heard', heard: 'enough' });
  assert.ok(heard.every(({ data }) => data.length > 0 && data.every((byte) => byte === 0)));
});

test('what a listener throws ends the wait, and is told', async () => {
  const { clock, exchange, send } = await started();
  let data = stripe;
  const listening = exchange.listen(limits, (notification) => {
    data = notification.data;
    throw new RangeError('no');
  });
  send(stripe);
  await assert.rejects(listening, RangeError);
  assert.ok(data.every((byte) => byte === 0));
  assert.equal(clock.pending, 0);
});

test('what came before is listened to first, and what comes after the one that was wanted is kept', async () => {
  const { exchange, send } = await started();
  const over = named('transaction over, stripe approved');
  send(named('contact card detected'), stripe, over);
  const details: string[] = [];
  await exchange.listen(limits, ({ detail }) => {
    details.push(detail);
    return detail === '080302' ? true : undefined;
  });
  await exchange.listen(limits, ({ detail }) => {
    details.push(detail);
    return true;
  });
  assert.deepEqual(details, ['010400', '080302', '020600']);
});

test('a reader that floods: garbled, and nothing is kept', async () => {
  const { exchange, send } = await started();
  for (let i = 0; i < 17; i++) send(stripe);
  assert.deepEqual(await exchange.listen(limits, () => 'heard'), { kind: 'garbled' });
});

test('noise between a command and its listener is not lost', async () => {
  const { exchange, path, send } = await started();
  path.receive(new Uint8Array(64).fill(0xff));
  send(stripe);
  assert.deepEqual(await exchange.listen(limits, () => 'heard'), { kind: 'garbled' });
  assert.deepEqual(await exchange.listen(limits, () => 'heard'), { kind: 'heard', heard: 'heard' });
});

test('nobody listens to what came before the next command', async () => {
  const { clock, exchange, send } = await started();
  send(stripe);
  const reply = exchange.request(cancel, limits);
  await settled();
  send(stripe, answerTo(0x02, 'cancel answer'));
  assert.equal((await reply).kind, 'response');
  const listening = exchange.listen(limits, () => 'heard');
  await clock.advance(1_000);
  assert.deepEqual(await listening, { kind: 'silent' });
  exchange.forget();
  send(stripe);
  const late = exchange.listen(limits, () => 'heard');
  send(stripe);
  await clock.advance(1_000);
  assert.deepEqual(await late, { kind: 'silent' });
});

test('the reports of one message are not mixed with those of another', async () => {
  const { path, clock, exchange } = await started();
  path.written.length = 0;
  const issuerData = new Uint8Array(120);
  const long = { id: 0x1004, parameters: [['84', issuerData]] as const };
  const abort = new AbortController();
  const first = exchange.request(long, { ...limits, signal: abort.signal });
  abort.abort();
  const second = exchange.request(cancel, limits);
  await settled();
  assert.deepEqual(await first, { kind: 'aborted' });
  assert.deepEqual(
    path.written.map((report) => report[0]),
    [0x01, 0x02, 0x03, 0x00],
  );
  await clock.advance(1_000);
  assert.deepEqual(await second, { kind: 'silent' });
});

test('a write that was never taken holds up nothing after a reconnection', async () => {
  const { path, exchange } = await started();
  path.writes = 'stuck';
  const stuck = exchange.request(cancel, limits);
  await settled();
  path.become('absent');
  assert.deepEqual(await stuck, { kind: 'vanished' });
  path.become('ready');
  path.writes = 'taken';
  path.written.length = 0;
  const next = exchange.request(cancel, limits);
  await settled();
  assert.equal(path.written.length, 1);
  exchange.close();
  assert.deepEqual(await next, { kind: 'vanished' });
});

test('an aborted or vanished wait leaves nothing behind', async () => {
  const { path, clock, exchange } = await started();
  const abort = new AbortController();
  const listening = exchange.listen({ ...limits, signal: abort.signal }, () => 'heard');
  abort.abort();
  assert.deepEqual(await listening, { kind: 'aborted' });
  assert.deepEqual(await exchange.request(cancel, { ...limits, signal: abort.signal }), { kind: 'aborted' });
  const gone = exchange.listen(limits, () => 'heard');
  path.become('absent');
  assert.deepEqual(await gone, { kind: 'vanished' });
  assert.deepEqual(await exchange.request(cancel, limits), { kind: 'vanished' });
  assert.equal(clock.pending, 0);
  exchange.close();
  assert.equal(path.listeners, 0);
});
