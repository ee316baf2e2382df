import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { BooksState } from '../../../src/pos/cloud/books/books-state.ts';
import { pause } from '../../../src/base/ports/pause.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { CloudLine } from './cloud-line.ts';

let line: CloudLine;
let clock: ManualClock;
let state: BooksState;
let failures: string[];
let isIdle: boolean;
let readMs: number;
/** What is unsettled now. */
let amount: string;
let reads: number;
beforeEach(() => {
  line = new CloudLine();
  clock = new ManualClock();
  failures = [];
  isIdle = true;
  [readMs, reads, amount] = [0, 0, '0.00'];
  state = new BooksState({
    link: line,
    read: async () => {
      reads += 1;
      const now = amount;
      if (readMs > 0) await pause(readMs, clock);
      if (now === 'damaged') throw new Error('damaged');
      return [{ currency: 'HKD', count: 1, amount: now }];
    },
    isIdle: () => isIdle,
    clock,
    onFailure: ({ message }) => failures.push(message),
  });
});
afterEach(() => state.close());

/** Lets so much time go by, in steps in which everything that is due is done. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) await clock.advance(Math.min(500, ms - passed));
}

function publishedStates(): string[] {
  return line.sent.map(({ topic, payload }) => {
    const { at, unsettled } = JSON.parse(Buffer.from(payload).toString());
    assert.equal(topic, 'books/state');
    assert.ok(at <= clock.now().toISOString());
    return unsettled[0].amount;
  });
}

test('it is told at each connect, and after a change; many changes at once are one', async () => {
  state.notice();
  await pass(60_000);
  assert.equal(reads, 0, 'nobody hears it');
  line.set(true);
  await pass(500);
  assert.deepEqual(publishedStates(), ['0.00']);
  amount = '30.00';
  for (let each = 0; each < 9; each++) state.notice();
  await pass(10_000);
  assert.deepEqual(publishedStates(), ['0.00', '30.00']);
  await pass(3_600_000);
  assert.equal(reads, 2, 'nothing has changed');
  line.set(false);
  amount = '50.00';
  state.notice();
  line.set(true);
  assert.deepEqual(publishedStates().at(-1), '30.00', 'the broker may have lost it');
  await pass(10_000);
  assert.deepEqual(publishedStates(), ['0.00', '30.00', '30.00', '50.00']);
});

test('it waits for the end of a payment', async () => {
  isIdle = false;
  line.set(true);
  await pass(3_000);
  assert.equal(reads, 0);
  isIdle = true;
  await pass(1_000);
  assert.equal(reads, 1);
});

test('a long batch is read the more rarely: no more than a hundredth of the time', async () => {
  readMs = 1_000;
  line.set(true);
  await pass(2_000);
  for (let each = 0; each < 300; each++) {
    state.notice();
    // Nor more often because the link breaks.
    if (each % 20 === 0) for (const isUp of [false, true]) line.set(isUp);
    await pass(1_000);
  }
  assert.ok(reads >= 3 && reads <= 4, `${reads}`);
});

test('a journal that can’t be read is reported, and read again after the next change', async () => {
  amount = 'damaged';
  line.set(true);
  await pass(500);
  assert.deepEqual(failures, ['damaged']);
  amount = '12.00';
  state.notice();
  await pass(6_000);
  assert.deepEqual(publishedStates(), ['12.00']);
});
