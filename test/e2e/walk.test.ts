import { test } from 'node:test';
import { walked } from './walk.ts';

// WALK_SEED replays one, WALK_SEEDS runs that many, WALK_STEPS is the length of each.
const first = Number(process.env['WALK_SEED'] ?? 1);
const count = Number(process.env['WALK_SEEDS'] ?? 1);
const steps = Number(process.env['WALK_STEPS'] ?? 150);

for (let seed = first; seed < first + count; seed++) {
  test(`a random walk of ${steps} operations with seed ${seed}: all books equal, settlement balanced`, () =>
    walked(seed, steps));
}
