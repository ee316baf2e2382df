import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

/** Callers whose requests end when the test says so. */
function stage() {
  const turns = new ReadingTurns();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.run('first', () => gate.promise);
  const ask = (caller: string) => turns.run(caller, async () => void order.push(caller));
  return { ask, order, open: () => (gate.resolve(), first) };
}

test('a POS that asks without pause leaves room for the others, and is answered no sooner', async () => {
  const { ask, order, open } = stage();
  const greedy = Array.from({ length: 100 }, () => ask('POS-1'));
  const others = [ask('POS-2'), ask('POS-3'), ask('POS-2')];
  assert.equal(greedy.filter((each) => each !== undefined).length, 8);
  assert.ok(others.every((each) => each !== undefined));
  await open();
  await Promise.all([...greedy, ...others]);
  assert.deepEqual(order.slice(0, 6), ['POS-1', 'POS-2', 'POS-3', 'POS-1', 'POS-2', 'POS-1']);
  assert.equal(order.length, 11);
});

test('the whole is limited; a caller of whom nothing waits is taken beyond that', async () => {
  const { ask, order, open } = stage();
  const taken = (caller: string) => ask(caller) !== undefined;
  for (let pos = 0; pos < 8; pos++) for (let each = 0; each < 8; each++) assert.ok(taken(`POS-${pos}`));
  assert.ok(taken('late'));
  assert.ok(!taken('late'));
  for (let pos = 0; pos < 63; pos++) assert.ok(taken(`another ${pos}`));
  assert.ok(!taken('one more'));
  await open();
  while (order.length < 128) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(taken('one more'));
});

test('a request that fails ends its turn, and the next has its own', async () => {
  const { ask, open } = stage();
  const turns = new ReadingTurns();
  await assert.rejects(async () => turns.run('POS-1', () => Promise.reject(new Error('the disk'))), /the disk/);
  assert.equal(await turns.run('POS-1', async () => 1), 1);
  const waiting = ask('POS-1');
  await open();
  await waiting;
});
