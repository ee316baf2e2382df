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
    await Promise.all(['a', 'b', 'c'].map((name) => turns.next('10.0.0.1').then(() => rounds.push([name, round]))));
    counting = false;
    assert.deepEqual(
      rounds.map(([name]) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(rounds.map(([, at]) => at)).size, 3);
  }
});

/** The callers of so many calls, in the order in which they get their turns. */
async function order(callers: readonly string[]): Promise<string[]> {
  const turns = new Turns();
  const served: string[] = [];
  await Promise.all(callers.map((caller) => turns.next(caller).then(() => served.push(caller))));
  return served;
}

test('addresses take turns: those who flood delay a POS by one call each', async () => {
  const floods = ['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5'];
  const flood = Array.from({ length: 2_000 }, (_, at) => floods[at % floods.length] ?? '');
  const served = await order([...flood, '10.0.0.1', '10.0.0.1']);
  assert.deepEqual(served.slice(0, 10), [...floods, '10.0.0.1', ...floods, '10.0.0.1']);
  assert.equal(served.length, flood.length + 2);
});

// Its status is how an image judges a new version: without an answer within seconds it goes back to the former one.
test('a program of the terminal’s machine gets its turn while others flood', async () => {
  const flood = Array.from({ length: 1_920 }, (_, at) => `10.0.0.${at % 4}`);
  const served = await order([...flood, '127.0.0.1']);
  assert.equal(served.indexOf('127.0.0.1'), 4);
});

test('a caller that comes back goes to the end of the queue', async () => {
  const turns = new Turns();
  const served: string[] = [];
  const take = (name: string, caller: string) => turns.next(caller).then(() => served.push(name));
  const again = take('first', 'a').then(() => take('again', 'a'));
  await Promise.all([again, take('b', 'b'), take('c', 'c')]);
  assert.deepEqual(served, ['first', 'b', 'c', 'again']);
});
