import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandshakeTurns } from '../../../src/pos/api/handshake-turns.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function stage() {
  const clock = new ManualClock();
  const turns = new HandshakeTurns(clock);
  const begun: string[] = [];
  const enter = (address: string) => turns.enter(address, () => begun.push(address));
  return { clock, begun, enter };
}

test('the first handshake begins at once, others ten milliseconds apart', () => {
  const { clock, begun, enter } = stage();
  for (let each = 0; each < 3; each++) enter('a');
  assert.deepEqual(begun, ['a']);
  clock.pass(9);
  assert.equal(begun.length, 1);
  clock.pass(1);
  assert.equal(begun.length, 2);
  clock.pass(10);
  assert.deepEqual([begun.length, clock.pending], [3, 0]);
  clock.pass(1_000);
  enter('a');
  assert.equal(begun.length, 4);
});

test('addresses that flood delay another by one handshake', () => {
  const { clock, begun, enter } = stage();
  const flood = Array.from({ length: 30 }, (_, at) => `attacker ${at}`);
  enter('POS');
  clock.pass(60_000);
  for (const address of flood) for (let each = 0; each < 10; each++) enter(address);
  for (let each = 0; each < 30; each++) clock.pass(10);
  begun.length = 0;
  enter('POS');
  clock.pass(10);
  assert.deepEqual(begun, ['POS']);
});

test('one that has gone takes no turn', () => {
  const { clock, begun, enter } = stage();
  enter('a');
  const leave = enter('b');
  enter('c');
  leave();
  leave();
  clock.pass(10);
  assert.deepEqual([begun, clock.pending], [['a', 'c'], 0]);
});
