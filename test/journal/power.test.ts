import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chance } from '../e2e/chance.ts';
import { carelessCommitter } from './careless.ts';
import { PoweredDisk } from './power.ts';
import { PowerCuts } from './power-cuts.ts';

const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const skip = PoweredDisk.impossible() ?? false;
const cuts = 10;
/** One cut in two is found out by; that none of so many is, is less likely than a broken machine. */
const carelessMost = 60;

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
    const committer = fileURLToPath(new URL('./committer.ts', import.meta.url));
    const power = new PowerCuts(disk, committer, new Chance(seed));
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
