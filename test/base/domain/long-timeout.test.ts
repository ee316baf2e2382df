import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { delayMsMost, platformTimers, withLongDelays } from '../../../src/base/domain/long-timeout.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const dayMs = 86_400_000;

/** Timers of a manual clock, which refuse what the platform's can't do. */
function limited() {
  const clock = new ManualClock();
  const timers = withLongDelays({
    setTimeout(run, ms) {
      assert.ok(ms <= delayMsMost, `${ms} ms`);
      return clock.setTimeout(run, ms);
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  });
  return { clock, timers };
}

describe('a long delay', () => {
  for (const ms of [0, 1, dayMs, delayMsMost, delayMsMost + 1, 25 * dayMs, 60 * dayMs, 2 * delayMsMost, 2 ** 33]) {
    test(`of ${ms} ms ends after ${ms} ms`, async () => {
      const { clock, timers } = limited();
      let ended = 0;
      timers.setTimeout(() => (ended += 1), ms);
      await clock.advance(Math.max(0, ms - 1));
      assert.equal(ended, ms === 0 ? 1 : 0);
      await clock.advance(1);
      assert.equal(ended, 1);
      assert.equal(clock.pending, 0);
    });
  }

  test('without end never ends', async () => {
    const { clock, timers } = limited();
    let ended = 0;
    timers.setTimeout(() => (ended += 1), Infinity);
    await clock.advance(400 * dayMs);
    assert.deepEqual([ended, clock.pending], [0, 1]);
  });

  test('can be cleared at any time', async () => {
    for (const afterMs of [0, dayMs, 30 * dayMs, 60 * dayMs]) {
      const { clock, timers } = limited();
      let ended = 0;
      const handle = timers.setTimeout(() => (ended += 1), 70 * dayMs);
      await clock.advance(afterMs);
      timers.clearTimeout(handle);
      assert.equal(clock.pending, 0);
      await clock.advance(70 * dayMs);
      assert.equal(ended, 0);
    }
  });
});

test('the system’s clock does not end a delay of 25 days at once, as the platform does', async (t) => {
  for (const timers of [systemClock, platformTimers]) {
    for (const ms of [delayMsMost + 1, 25 * dayMs, 2 ** 40, Infinity]) {
      const handle = timers.setTimeout(() => assert.fail(`${ms} ms were over at once`), ms);
      t.after(() => timers.clearTimeout(handle));
    }
  }
  // What overflows is due after 1 ms (Node, setTimeout): before this one.
  const warned = once(process, 'warning');
  await new Promise<void>((resolve) => void setTimeout(resolve, delayMsMost + 1));
  assert.equal(((await warned) as [Error])[0].name, 'TimeoutOverflowWarning');
  await new Promise<void>((resolve) => void setTimeout(resolve, 20));
});
