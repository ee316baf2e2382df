import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../support/programs.ts';
import { soakReport } from './report.ts';
import { soaked } from './soak.ts';

test('after each day the terminal settles by itself what was sold on it', async () => {
  const result = await soaked({ sales: 5, daySales: 2, program: command, restarts: 1 });
  const { days, archived, took, journal, enquiries, restarts } = result;
  // The first day has one before, so that there is a first to enquire of.
  assert.deepEqual(days, [2, 2, 2]);
  assert.equal(took.length, 5);
  assert.equal(journal.length, 4);
  assert.equal(archived, 0, 'three days are not old');
  assert.ok([...enquiries.oldest, ...enquiries.newest, ...restarts.fresh, ...restarts.end].every((ms) => ms > 0));
  assert.equal(soakReport(result).checks.length, 6);
});

test('the host that keeps sums settles what agrees with them, and nothing else', async () => {
  const result = await soaked({ sales: 5, daySales: 2, program: command, restarts: 1, isBare: true });
  assert.deepEqual(result.days, [2, 2, 2]);
  assert.equal(result.took.length, 5);
});
