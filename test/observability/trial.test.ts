import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { isOnTrial } from '../../src/observability/trial.ts';

test('an image is on trial until its own version was accepted; what can’t be read counts as not accepted', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-trial-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const [version, accepted] = [path.join(dir, 'version'), path.join(dir, 'accepted')];
  assert.equal(await isOnTrial(dir), false, 'no image');
  writeFileSync(version, '2.0.0\n');
  assert.equal(await isOnTrial(dir), true, 'nothing was ever accepted');
  symlinkSync(path.join(dir, 'state'), accepted);
  assert.equal(await isOnTrial(dir), true, 'its link leads nowhere yet');
  for (const [text, expected] of [
    ['1.0.0\n', true],
    ['', true],
    ['2.0.0', false],
    ['2.0.0\n', false],
    ['2.0.0.1\n', true],
  ] as const) {
    writeFileSync(accepted, text);
    assert.equal(await isOnTrial(dir), expected, JSON.stringify(text));
  }
  writeFileSync(version, '');
  writeFileSync(accepted, '');
  assert.equal(await isOnTrial(dir), true, 'an image that does not say which it is');
  rmSync(version);
  mkdirSync(version);
  writeFileSync(accepted, '2.0.0\n');
  assert.equal(await isOnTrial(dir), true, 'an error');
});
