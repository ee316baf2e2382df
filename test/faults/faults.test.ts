import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { edits } from './planted/bug.ts';
import { bugs } from './planted/bugs.ts';
import { planted } from './planted/planting.ts';
import { played } from './schedule.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const seeds = 60;

test(`${seeds} schedules of chance: the three books agree, and enough has happened`, async () => {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed++) {
    const { faults, trace, counts: these } = await played(seed);
    assert.deepEqual(
      faults,
      [],
      `seed ${seed} (npm run test:faults -- --seeds 1 --seed ${seed}):\n${trace.join('\n')}`,
    );
    for (const [name, count] of these) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  for (const name of [
    'crash',
    'clock jump',
    'disk failed',
    'disk full',
    'journal hangs',
    'request taken after its reversal',
    'reversal',
    'reversal twice',
    'reversal without original',
    'request lost',
    'request late',
    'request twice',
    'answer lost',
    'answer late',
    'reserved name',
    'answer closed',
    'answer that nobody waits for',
    'wallet lost',
    'wallet late',
    'settlement twice',
    'settled BALANCED',
    'settled UPLOADED',
    'settled FAILED',
    'POS told SUCCESS',
    'POS told DECLINED',
    'POS told ERROR',
    'POS told busy',
    'POS told refused',
    'POS told journalFailed',
  ]) {
    assert.ok((counts.get(name) ?? 0) > 0, `${name} never happened`);
  }
});

test('a seed plays the same byte for byte, and another one another', async () => {
  const [once, again, other] = [await played(17), await played(17), await played(18)];
  assert.deepEqual(again.trace, once.trace);
  assert.equal(again.hash, once.hash);
  assert.notEqual(other.hash, once.hash);
});

test('every planted bug has its place in the source still', () => {
  for (const bug of bugs) {
    for (const { file, from } of edits(bug)) {
      assert.equal(readFileSync(path.join(root, file), 'utf8').split(from).length, 2, `${bug.name}: ${file}`);
    }
  }
});

test('a planted bug is caught', async () => {
  const bug = bugs.find(({ name }) => name === 'the reversal is forgotten after a restart');
  assert.ok(bug);
  const { seeds: took, fault = '' } = await planted(bug, seeds, 1);
  assert.ok(took !== undefined, `not within ${seeds} seeds`);
  assert.match(fault, /^I5: /);
});
