import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crashed } from './crashes.ts';
import { bundled, type Program } from './program.ts';

let program: Program;
before(async () => {
  program = await bundled();
});
after(() => program.remove());

const kills = Number(process.env['CRASH_KILLS'] ?? 3);
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test(`killed ${kills} times under load: the books of POS, terminal and hosts agree (seed ${seed})`, async () => {
  const report = await crashed({ cuts: kills, seed, program: program.main });
  assert.equal(
    [...report.phases.values()].reduce((sum, count) => sum + count, 0),
    kills,
  );
  assert.ok(report.requests > 0);
});
