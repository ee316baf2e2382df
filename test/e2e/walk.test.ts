import { describe, test } from 'node:test';
import { walked } from './walk.ts';

// WALK_SEED replays one, WALK_SEEDS runs that many, WALK_STEPS is the length of each.
const first = Number(process.env['WALK_SEED'] ?? 1);
const count = Number(process.env['WALK_SEEDS'] ?? 1);
const steps = Number(process.env['WALK_STEPS'] ?? 60);

// Each has processes of its own, and spends half of its time waiting for answers that do not come.
describe('all books equal, all settlements balanced', { concurrency: 4 }, () => {
  for (let seed = first; seed < first + count; seed++) {
    test(`after a random walk of ${steps} operations with seed ${seed}`, () => walked(seed, steps));
  }
});
