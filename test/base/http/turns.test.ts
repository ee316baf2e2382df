import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../../src/base/http/turns.ts';

test('one in a round of the event loop, in the order they came, and again after a pause', async () => {
  const turns = new Turns();
  for (let time = 0; time < 2; time++) {
    let round = 0;
    let counting = true;
    const count = () => {
      round++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const rounds: [name: string, round: number][] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => turns.next().then(() => rounds.push([name, round]))));
    counting = false;
    assert.deepEqual(
      rounds.map(([name]) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(rounds.map(([, at]) => at)).size, 3);
  }
});
