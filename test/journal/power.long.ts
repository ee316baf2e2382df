import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chance } from '../e2e/chance.ts';
import { carelessCommitter } from './careless.ts';
import { LoggedDisk } from './logged-disk.ts';
import { PoweredDisk } from './power.ts';
import { PowerCuts } from './power-cuts.ts';
import { replayedCommits } from './replayed-commits.ts';

const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const skip = PoweredDisk.impossible() ?? false;
const cuts = 10;
/** One cut in two is found out by; that none of so many is, is less likely than a broken machine. */
const carelessMost = 60;
/** When the system writes back by itself is its own affair: a round may happen to find every commit on the disk. */
const carelessRounds = 6;
const own = fileURLToPath(new URL('./committer.ts', import.meta.url));

describe(`power cuts (seed ${seed})`, { skip }, () => {
  let dir: string;
  let disk: PoweredDisk;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'poid-power-'));
    disk = new PoweredDisk(path.join(dir, 'disk'), path.join(dir, 'image'));
  });
  afterEach(() => {
    disk.remove();
    rmSync(dir, { recursive: true });
  });

  test(`the power fails ${cuts} times in the middle of commits: every acknowledged event is there`, async () => {
    const power = new PowerCuts(disk, own, new Chance(seed));
    for (let count = 1; count <= cuts; count++) {
      const { acknowledged, faults } = await power.next();
      assert.deepEqual(faults, [], `cut ${count}`);
      assert.ok(acknowledged > 0, `cut ${count} came before the first commit`);
    }
    assert.equal(disk.faults(), '');
  });

  test('a journal that does not sync its commits is found out', async () => {
    const power = new PowerCuts(disk, carelessCommitter(path.join(dir, 'copy')), new Chance(seed));
    for (let count = 1; count <= carelessMost; count++) {
      const { faults } = await power.next();
      if (faults.some((fault) => fault.includes('acknowledged events'))) return;
    }
    assert.fail(`${carelessMost} cuts lost nothing`);
  });
});

describe(`what a power cut can leave (seed ${seed})`, { skip: LoggedDisk.impossible() ?? false }, () => {
  const some = { commits: 60, count: 15 };

  test('has every commit that was acknowledged by then', async () => {
    const { commits, result } = await replayedCommits({ ...some, committer: own, chance: new Chance(seed) });
    assert.deepEqual(result.faults, []);
    assert.equal(result.states, some.count);
    assert.ok(commits >= some.commits && result.flushes >= some.commits);
  });

  test('of a journal that does not sync its commits is found out', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-power-'));
    try {
      const options = { commits: 300, count: 40, committer: carelessCommitter(dir), chance: new Chance(seed) };
      for (let round = 1; round <= carelessRounds; round++) {
        const { result } = await replayedCommits(options);
        if (result.faults.some((fault) => fault.includes('acknowledged events'))) return;
      }
      assert.fail(`${carelessRounds} rounds of ${options.count} states lost nothing`);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
