import assert from 'node:assert/strict';
import { test } from 'node:test';
import { played } from './schedule.ts';

/** Seeds in which all events below happen; after a change of the simulation others may be needed. */
const first = 161;
const seeds = 60;

test(`${seeds} random schedules: the three books agree, and every kind of event has happened`, async () => {
  const counts = new Map<string, number>();
  for (let seed = first; seed < first + seeds; seed++) {
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
