import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Eraser } from '../../src/journal/eraser.ts';
import { dayMs, ErasingStage } from './erasing-stage.ts';

const hourMs = 3_600_000;

test('a device that asks each second postpones the removal by an hour, and each piece lets calls pass before it', async (t) => {
  const stage = ErasingStage.open(t);
  const all = Array.from({ length: 50 }, (_, index) => index + 1);
  for (const ordinal of all) stage.sell(ordinal);
  stage.settle();
  stage.now += dayMs + 1;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let [elapsed, erasedAt, commits, isArriving, isAnswered] = [0, 0, 0, false, false];
  const eraser = new Eraser({
    erasing: stage.store.erasing,
    now: () => new Date(stage.now + elapsed),
    elapsedMs: () => {
      // A call arrives while the eraser looks: the loop brings it next.
      if (isArriving) globalThis.setImmediate(() => (isAnswered = true));
      isArriving = false;
      return elapsed;
    },
    onFailure: (error) => assert.fail(error),
  });
  t.after(() => eraser.stop());
  const erase = stage.store.erasing.erase.bind(stage.store.erasing);
  t.mock.method(stage.store.erasing, 'erase', (events: readonly number[], before: Date) => {
    assert.ok(isAnswered, 'the call that had arrived is answered first');
    assert.ok(elapsed - erasedAt >= 2_000, 'a pause between two pieces');
    erasedAt = elapsed;
    commits += 1;
    return erase(events, before);
  });
  /** The device asks once a second, for so long. */
  const ask = async (ms: number) => {
    for (const until = elapsed + ms; elapsed < until; ) {
      elapsed += 1_000;
      [isArriving, isAnswered] = [true, false];
      t.mock.timers.tick(1_000);
      isArriving = false;
      // What the eraser has left to the loop's turn is done after this.
      await setImmediate();
      await setImmediate();
      eraser.noteCall();
    }
  };
  await ask(hourMs - 10_000);
  assert.deepEqual([commits, stage.found(all).length], [0, 50]);
  await ask(20_000);
  assert.ok(commits >= 1 && commits <= 5, `${commits} pieces in 20 seconds`);
  await ask(60_000);
  assert.equal(commits, 3);
  assert.deepEqual(stage.found(all), []);
});
