import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { SettledBatch } from '../../src/ports/journal.ts';
import { acquirerId, type TerminalTransactionId } from '../../src/domain/identifiers.ts';
import { settleDaily } from '../../src/terminal/daily-settlement.ts';
import type { SettlementRequest } from '../../src/terminal/request.ts';
import type { SettleAnswer } from '../../src/terminal/terminal.ts';
import { ManualClock, settled } from './manual-clock.ts';

const hourMs = 3_600_000;
const timeZone = process.env['TZ'];

let clock: ManualClock;
let asked: { at: string; request: SettlementRequest }[];
let failures: unknown[];
let answer: (request: SettlementRequest) => Promise<SettleAnswer>;

beforeEach(() => {
  // The manual clock starts at 2026-01-01 00:00 UTC: 08:00 in Hong Kong, which has no summer time.
  process.env['TZ'] = 'Asia/Hong_Kong';
  clock = new ManualClock();
  asked = [];
  failures = [];
  answer = async () => ended('BALANCED');
});
afterEach(() => {
  if (timeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = timeZone;
});

function ended(...results: SettledBatch['result'][]): SettleAnswer {
  const batches = results.map((result) => {
    return { acquirerId: acquirerId('EDC'), mid: '', tid: '', batch: 1, result, totals: [] };
  });
  const id = '1' as TerminalTransactionId;
  return { kind: 'ended', settlement: { id, posId: '', messageId: '', digest: '', at: '', results: batches } };
}

function daily(at: string): () => void {
  return settleDaily({
    at,
    clock,
    settle: (request) => {
      asked.push({ at: clock.now().toISOString(), request });
      return answer(request);
    },
    onFailure: (error) => failures.push(error),
  });
}

const told = () => asked.map(({ at, request }) => [at, request.messageId]);

test('once a day at that minute of the terminal, under the date', async () => {
  daily('23:30');
  assert.deepEqual(clock.pendingMs, [15.5 * hourMs]);
  await clock.advance(48 * hourMs);
  assert.deepEqual(told(), [
    ['2026-01-01T15:30:00.000Z', 'daily 2026-01-01'],
    ['2026-01-02T15:30:00.000Z', 'daily 2026-01-02'],
  ]);
  assert.equal(asked[0]?.request.posId, 'poid');
  assert.equal(asked[0].request.acquirerId, undefined);
});

test('a time that is past today, or is this very minute, is tomorrow', async () => {
  daily('07:59');
  daily('08:00');
  assert.deepEqual(clock.pendingMs, [24 * hourMs - 60_000, 24 * hourMs]);
  await clock.advance(24 * hourMs);
  assert.deepEqual(told(), [
    ['2026-01-01T23:59:00.000Z', 'daily 2026-01-02'],
    ['2026-01-02T00:00:00.000Z', 'daily 2026-01-02'],
  ]);
});

test('a busy terminal is asked again under the same identity, a minute later', async () => {
  let busy = 2;
  answer = async () => (busy-- > 0 ? { kind: 'busy', owner: { posId: 'P', messageId: 'M' } } : ended('BALANCED'));
  daily('08:01');
  await clock.advance(10 * 60_000);
  assert.deepEqual(told(), [
    ['2026-01-01T00:01:00.000Z', 'daily 2026-01-01'],
    ['2026-01-01T00:02:00.000Z', 'daily 2026-01-01'],
    ['2026-01-01T00:03:00.000Z', 'daily 2026-01-01'],
  ]);
});

test('one that failed is tried again as another, across midnight still of its day, and the next day is on time', async () => {
  let failing = 3;
  answer = async () => (failing-- > 0 ? ended('BALANCED', 'FAILED') : ended('UPLOADED'));
  daily('23:58');
  await clock.advance(40 * hourMs);
  assert.deepEqual(told(), [
    ['2026-01-01T15:58:00.000Z', 'daily 2026-01-01'],
    ['2026-01-01T15:59:00.000Z', 'daily 2026-01-01/1'],
    ['2026-01-01T16:00:00.000Z', 'daily 2026-01-01/2'],
    ['2026-01-01T16:01:00.000Z', 'daily 2026-01-01/3'],
    ['2026-01-02T15:58:00.000Z', 'daily 2026-01-02'],
  ]);
});

test('a journal that fails is told and tried again', async () => {
  const fault = new Error('disk I/O error');
  answer = () => (asked.length === 1 ? Promise.reject(fault) : Promise.resolve(ended()));
  daily('08:01');
  await clock.advance(5 * 60_000);
  assert.deepEqual(failures, [fault]);
  assert.deepEqual(
    asked.map(({ request }) => request.messageId),
    ['daily 2026-01-01', 'daily 2026-01-01'],
  );
});

test('stopped: no timer stays, before the time, between two tries and while it settles', async () => {
  daily('08:01')();
  assert.deepEqual(clock.pendingMs, []);

  answer = async () => ended('FAILED');
  const stopBetween = daily('08:01');
  await clock.advance(60_000);
  assert.equal(clock.pendingMs.length, 1);
  stopBetween();
  assert.deepEqual(clock.pendingMs, []);

  for (const result of ['BALANCED', 'FAILED'] as const) {
    const release = Promise.withResolvers<SettleAnswer>();
    answer = () => release.promise;
    const stop = daily('09:00');
    await clock.advance(24 * hourMs);
    stop();
    release.resolve(ended(result));
    await settled();
    assert.deepEqual(clock.pendingMs, [], `stopped while it settles, ${result}`);
  }
});
