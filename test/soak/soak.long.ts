import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../support/programs.ts';
import { soaked } from './soak.ts';

test('after each day the terminal settles by itself what was sold on it', async () => {
  const { days, archived, took, journal } = await soaked({ sales: 5, daySales: 2, program: command });
  assert.deepEqual(days, [2, 2, 1]);
  assert.equal(took.length, 5);
  assert.equal(journal.length, 4);
  assert.equal(archived, 0, 'three days are not old');
});
