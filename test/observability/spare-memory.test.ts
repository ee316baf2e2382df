import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { compileAddon } from '../../build/addons.ts';
import { loadRelease, SpareMemory } from '../../src/observability/spare-memory.ts';
import { ManualClock } from '../support/manual-clock.ts';

const dir = await mkdtemp(path.join(tmpdir(), 'poid-spare-'));
after(() => rm(dir, { recursive: true }));

class Stage {
  readonly clock = new ManualClock();
  isIdle = true;
  released = 0;
  readonly spare = new SpareMemory({
    release: () => (this.released += 1),
    isIdle: () => this.isIdle,
    clock: this.clock,
  });
}

describe('what was freed is given back', () => {
  test('a minute after the start, and then only after the terminal was busy', async () => {
    const stage = new Stage();
    await stage.clock.advance(59_999);
    assert.equal(stage.released, 0);
    await stage.clock.advance(1);
    assert.equal(stage.released, 1);
    await stage.clock.advance(3_600_000);
    assert.equal(stage.released, 1);
    stage.spare.emit({ state: 'authorizing' });
    await stage.clock.advance(60_000);
    assert.equal(stage.released, 1);
    stage.spare.emit({ state: 'idle' });
    stage.spare.emit({ state: 'idle' });
    await stage.clock.advance(60_000);
    assert.equal(stage.released, 2);
  });

  test('not while a payment runs: a minute later', async () => {
    const stage = new Stage();
    stage.isIdle = false;
    await stage.clock.advance(60_000);
    assert.equal(stage.released, 0);
    stage.isIdle = true;
    await stage.clock.advance(60_000);
    assert.equal(stage.released, 1);
  });

  test('no more once it is closed', async () => {
    const stage = new Stage();
    stage.spare.close();
    await stage.clock.advance(60_000);
    assert.equal(stage.released, 0);
  });
});

describe('the addon', () => {
  test('asks glibc', async () => {
    const file = path.join(dir, 'spare-memory.node');
    await compileAddon('spare-memory', file, process.arch === 'arm64' ? 'arm64' : 'x64');
    const release = loadRelease(pathToFileURL(file));
    assert.doesNotThrow(() => release?.());
    assert.ok(release);
  });

  test('is none beside the sources', () => {
    assert.equal(loadRelease(), undefined);
  });

  test('that is none of this machine is a fault, which the daemon logs', async () => {
    const file = path.join(dir, 'broken.node');
    await writeFile(file, 'no addon');
    assert.throws(() => loadRelease(pathToFileURL(file)));
  });
});
