import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Backlog } from '../../../src/pos/feeds/backlog.ts';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { Change, ChangeSlice } from '../../../src/payment/contracts/changes.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const sliceMax = 100;

function staged({ isIdle = () => true, readMs = 0 }: { isIdle?: () => boolean; readMs?: number } = {}) {
  const clock = new ManualClock();
  const reads: number[] = [];
  const failures: string[] = [];
  const stage = { last: 0, place: undefined as number | undefined, fails: false };
  const beganMs = clock.now().getTime() - 110_000;
  const changeAt = (seq: number): Change => ({
    seq,
    kind: 'transaction',
    id: String(seq) as TerminalTransactionId,
    // A change without a time of its own comes first.
    ...(seq % 5 === 1 ? {} : { at: new Date(beganMs + seq * 1_000).toISOString() }),
  });
  const changes = async (after: number): Promise<ChangeSlice> => {
    reads.push(after);
    if (stage.fails) throw new Error('the disk is full');
    await clock.advance(readMs);
    const until = Math.min(stage.last, after + sliceMax);
    const found = Array.from({ length: Math.max(0, until - after) }, (_, at) => changeAt(after + at + 1));
    return { changes: found, until: Math.max(after, until), hasMore: until < stage.last };
  };
  const backlog = new Backlog({
    journal: { changes },
    place: () => stage.place,
    isIdle,
    clock,
    onFailure: ({ message }) => failures.push(message),
  });
  /** As Prometheus does: what it gets was counted when it asked before. */
  const asked = async () => {
    const settled = async () => {
      for (let turn = 0; turn < 1_000; turn++) await setImmediate();
    };
    await settled();
    void backlog.counted;
    await settled();
    return backlog.counted;
  };
  return Object.assign(stage, { backlog, clock, reads, failures, asked });
}

test('what waits is counted slice by slice, with the time of the oldest', async () => {
  const stage = staged();
  stage.last = 350;
  assert.equal(await stage.asked(), undefined, 'nobody knows what the sink has');
  assert.deepEqual(stage.reads, []);
  stage.place = 100;
  assert.deepEqual(await stage.asked(), { count: 250, ageS: 8 });
  await stage.clock.advance(60_000);
  assert.equal(stage.backlog.counted?.ageS, 68);
  stage.place = 349;
  assert.equal((await stage.asked())?.count, 1);
  stage.clock.jump(-3_600_000);
  assert.deepEqual(await stage.asked(), { count: 1, ageS: 0 });
  stage.place = 350;
  assert.deepEqual(await stage.asked(), { count: 0, ageS: 0 });
});

test('who asks waits for nothing, and nothing is read that nobody asks for', async () => {
  const stage = staged();
  [stage.last, stage.place] = [10, 0];
  await stage.clock.advance(3_600_000);
  assert.deepEqual(stage.reads, []);
  assert.equal(stage.backlog.counted, undefined);
  assert.equal(stage.backlog.counted, undefined);
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  assert.equal(stage.reads.length, 1);
});

test('while a payment runs nothing is read', async () => {
  let isIdle = false;
  const stage = staged({ isIdle: () => isIdle });
  [stage.last, stage.place] = [10, 0];
  await stage.asked();
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.reads, []);
  isIdle = true;
  await stage.clock.advance(200);
  assert.equal((await stage.asked())?.count, 10);
});

test('a long one is cut off, and its reading takes a hundredth of the time at most', async () => {
  const stage = staged({ readMs: 20 });
  [stage.last, stage.place] = [1_000_000, 0];
  assert.equal((await stage.asked())?.count, 10_000);
  assert.equal(stage.reads.length, 100);
  // It took two seconds.
  await stage.clock.advance(199_000);
  await stage.asked();
  assert.equal(stage.reads.length, 100);
  await stage.clock.advance(2_000);
  await stage.asked();
  assert.equal(stage.reads.length, 200);
});

test('a journal that can’t be read is reported, and read again; after the end nothing is', async () => {
  const stage = staged();
  Object.assign(stage, { last: 3, place: 0, fails: true });
  await stage.asked();
  assert.deepEqual([...new Set(stage.failures)], ['the disk is full']);
  stage.fails = false;
  assert.equal((await stage.asked())?.count, 3);
  await stage.backlog.close();
  const { length } = stage.reads;
  await stage.asked();
  assert.equal(stage.reads.length, length);
});
