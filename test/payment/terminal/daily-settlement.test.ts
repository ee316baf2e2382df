import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { SettlementRequest } from '../../../src/payment/terminal/request.ts';
import { settleDaily } from '../../../src/payment/terminal/daily-settlement.ts';
import { settled } from '../../support/manual-clock.ts';
import { ended, sale, Stage } from './stage.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const timeZone = process.env['TZ'];

let stage: Stage;
let asked: { readonly at: string; readonly request: SettlementRequest }[];
let failures: unknown[];
let stop: () => void;
let numbers: number;

beforeEach(() => {
  // The manual clock starts at 2026-01-01 00:00 UTC: 08:00 in Hong Kong, which has no summer time.
  process.env['TZ'] = 'Asia/Hong_Kong';
  stage = new Stage();
  asked = [];
  failures = [];
  numbers = 0;
  stop = () => undefined;
});
afterEach(() => {
  stop();
  stage.close();
  if (timeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = timeZone;
});

/** As a start does it. */
function daily(at?: string): void {
  stop();
  stop = settleDaily({
    ...(at === undefined ? {} : { at }),
    acquirers: stage.profiles.map(({ id }) => id),
    journal: stage.journal,
    clock: stage.clock,
    random: { bytes: (length) => Buffer.alloc(length, (numbers += 1)) },
    settle: (request) => {
      asked.push({ at: stage.clock.now().toISOString(), request });
      return stage.terminal.settle(request);
    },
    onFailure: (error) => failures.push(error),
  });
}

const pay = async (messageId: string, scheme: 'visa' | 'unionpay' = 'visa') =>
  ended(await stage.paid(sale(messageId), scheme));
const times = () => asked.map(({ at }) => at.slice(5, 16));
const batches = () => stage.profiles.map(({ id }) => stage.journal.store.openBatch(id));

test('once a day at that minute of the terminal, each under an identity of its own', async () => {
  daily('23:30');
  await pay('M-1');
  await stage.clock.advance(48 * hourMs);
  assert.deepEqual(times(), ['01-01T15:30', '01-02T15:30']);
  assert.deepEqual(
    asked.map(({ request }) => [request.posId, request.acquirerId, request.messageId.slice(0, 16)]),
    [
      ['poid', undefined, 'daily 2026-01-01'],
      ['poid', undefined, 'daily 2026-01-02'],
    ],
  );
  assert.equal(new Set(asked.map(({ request }) => request.messageId)).size, 2);
});

test('nobody can end it beforehand: what was settled under its name or its date counts for nothing', async () => {
  daily('23:30');
  for (const messageId of ['daily 2026-01-01', 'daily 2026-01-01/1']) {
    await stage.terminal.settle({ posId: 'poid', messageId, digest: 'daily' });
  }
  await pay('M-1');
  const before = batches();
  await stage.clock.advance(24 * hourMs);
  assert.deepEqual(
    batches(),
    before.map((batch) => batch + 1),
  );
});

test('a terminal that is off at that hour settles after its next start, once its shop is quiet', async () => {
  daily('23:30');
  await pay('M-1');
  await stage.clock.advance(2 * hourMs);
  stop();
  stage.clock.jump(22 * hourMs);
  await stage.restart();
  daily('23:30');
  await stage.clock.advance(2 * minuteMs + 30_000);
  const payment = stage.terminal.pay(sale('M-2'));
  await stage.clock.advance(minuteMs);
  assert.deepEqual(batches(), [1, 1], 'not in the middle of a payment');
  await stage.terminal.cancel('POS-1', 'M-2');
  await payment;
  await stage.clock.advance(minuteMs);
  assert.deepEqual(batches(), [2, 1]);
  await stage.clock.advance(10 * hourMs);
  assert.deepEqual(batches(), [2, 1], 'once');
  await pay('M-3');
  stop();
  stage.clock.jump(24 * hourMs);
  await stage.restart();
  daily('23:30');
  await stage.clock.advance(5 * minuteMs);
  assert.deepEqual(batches(), [3, 1], 'the next night too');
});

test('a terminal that begins with the same date each day settles at each start what it sold before', async () => {
  for (let day = 1; day <= 3; day++) {
    daily('23:30');
    await stage.clock.advance(5 * minuteMs);
    assert.deepEqual(batches(), [day, 1], `day ${day}`);
    await stage.clock.advance(hourMs);
    await pay(`M-${day}`);
    await stage.clock.advance(hourMs);
    stop();
    // Nothing has kept the time.
    stage.clock.jump(-2 * hourMs - 5 * minuteMs);
    await stage.restart();
  }
  assert.equal(new Set(asked.map(({ request }) => request.messageId)).size, asked.length);
});

test('the daily settlement follows the clock’s reading: set forward over that hour, and back by years', async () => {
  daily('23:30');
  await pay('M-1');
  await stage.clock.advance(hourMs);
  stage.clock.jump(24 * hourMs);
  await stage.clock.advance(2 * minuteMs);
  assert.deepEqual(batches(), [2, 2]);
  stage.clock.jump(-2000 * 24 * hourMs);
  await stage.clock.advance(2 * minuteMs);
  await pay('M-2');
  await stage.clock.advance(24 * hourMs);
  assert.deepEqual(batches(), [3, 3]);
});

test('a silent host keeps no other waiting: pauses that grow, on paper once, and the day goes on', async () => {
  daily('23:30');
  await pay('M-1');
  await pay('M-2', 'unionpay');
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await stage.clock.advance(15.5 * hourMs + 4 * hourMs);
  assert.equal((await pay('M-3')).intent?.trace.batch, 2);
  assert.deepEqual(
    times(),
    [
      '01-01T15:30',
      '01-01T15:31',
      '01-01T15:33',
      '01-01T15:37',
      '01-01T15:45',
      '01-01T16:01',
      '01-01T16:31',
      '01-01T17:01',
      '01-01T17:31',
      '01-01T18:01',
      '01-01T18:31',
      '01-01T19:01',
      '01-01T19:31',
    ].slice(0, asked.length),
  );
  assert.ok(asked.length >= 11);
  assert.deepEqual(
    asked.slice(1).map(({ request }) => [request.acquirerId, request.quiet]),
    asked.slice(1).map(() => ['EDC', true]),
  );
  assert.equal(stage.cup.settlements.length, 1);
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  await stage.clock.advance(hourMs);
  assert.deepEqual(batches(), [3, 2]);
});

test('a settlement of a POS that no host answered is asked again, and the open batch stays open', async () => {
  daily();
  await pay('M-1');
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: '' });
  await pay('M-2');
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  await stage.clock.advance(10 * minuteMs);
  assert.deepEqual(stage.journal.store.settlingBatches(stage.edc.id), []);
  assert.deepEqual(batches(), [2, 2]);
});

for (const restarts of [false, true]) {
  test(`a settlement that could not be sent is repeated until it is${restarts ? ', after a restart too' : ''}`, async () => {
    daily();
    await pay('M-1');
    stage.edc.onSettlement = () => ({ kind: 'notSent' });
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: '' });
    assert.deepEqual(stage.journal.store.settlingBatches(stage.edc.id), [], 'open again: its payments can be voided');
    const [open] = batches();
    if (restarts) daily();
    await stage.clock.advance(3 * hourMs);
    assert.deepEqual(
      new Set(asked.map(({ request }) => `${request.acquirerId} ${request.quiet} ${request.waitingOnly}`)),
      new Set(['EDC true undefined']),
    );
    const gaps = asked
      .map(({ at }) => Date.parse(at))
      .map((at, index, all) => (at - (all[index - 1] ?? at)) / minuteMs);
    assert.deepEqual(gaps, [0, 2, 4, 8, 16, 30, 30, 30, 30].slice(0, gaps.length));
    assert.ok(gaps.length >= 8, `${gaps.length} attempts`);
    stage.edc.onSettlement = () => ({ kind: 'balanced' });
    await stage.clock.advance(hourMs);
    assert.ok((batches()[0] ?? 0) > (open ?? 0));
    const before = asked.length;
    await stage.clock.advance(3 * hourMs);
    assert.equal(asked.length, before, 'settled: nothing is repeated');
  });
}

test('a journal that fails is told and tried again; stopped, no timer stays', async () => {
  daily('08:05');
  await pay('M-1');
  let failing = 2;
  stage.journal.fault = (_call, operation) => operation === 'settledAt' && failing-- > 0;
  await stage.clock.advance(10 * minuteMs);
  assert.equal(failures.length, 2);
  assert.deepEqual(batches(), [2, 2]);
  await stage.clock.advance(hourMs);
  stop();
  await settled();
  assert.deepEqual(stage.clock.pendingMs, []);
});
