import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWithin } from '../../src/observability/status.ts';

test('what hangs is asked once, and once more for all who came meanwhile; nobody waits longer than told', async () => {
  const whom = {};
  const asked: PromiseWithResolvers<number>[] = [];
  const ask = () => {
    asked.push(Promise.withResolvers<number>());
    return asked.at(-1)!.promise;
  };
  assert.deepEqual(
    await Promise.all(Array.from({ length: 50 }, () => answerWithin(whom, 5, ask))),
    Array(50).fill(undefined),
  );
  assert.equal(asked.length, 1);
  const later = [answerWithin(whom, 60_000, ask), answerWithin(whom, 60_000, ask)];
  asked[0]?.resolve(1);
  while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
  asked[1]?.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2], 'an answer from before it was asked');
  assert.equal(asked.length, 2);
  const again = answerWithin(whom, 60_000, ask);
  assert.equal(asked.length, 3);
  asked[2]?.reject(new Error('broken'));
  await assert.rejects(again, /broken/);
  const last = answerWithin(whom, 60_000, ask);
  asked[3]?.resolve(4);
  assert.equal(await last, 4);
});
