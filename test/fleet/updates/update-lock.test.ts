import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../../image/files/usr/sbin/poid-update', import.meta.url));
const reached = 'no bundle here';

let dir: string;
let lock: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-update-'));
  lock = path.join(dir, 'poid-update.lock');
  mkdirSync(path.join(dir, 'bin'));
  // It is the first command behind the lock, and ends the script.
  writeFileSync(path.join(dir, 'bin/rauc'), `#!/bin/sh\necho '${reached}'\nexit 1\n`, { mode: 0o755 });
  const text = readFileSync(script, 'utf8');
  assert.ok(text.includes('/run/poid-update.lock'));
  writeFileSync(path.join(dir, 'poid-update'), text.replaceAll('/run/poid-update.lock', lock));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** poid-update with its lock in a directory of the test, by the usual umask; `before`: words before it. */
function update(...before: readonly string[]): string {
  const words = ['-c', 'umask 022; exec "$@"', 'sh', ...before, 'sh', path.join(dir, 'poid-update'), 'a.raucb'];
  const env = { ...process.env, PATH: `${path.join(dir, 'bin')}:${process.env['PATH']}` };
  return spawnSync('sh', words, { encoding: 'utf8', env }).stderr;
}

const mode = () => statSync(lock).mode & 0o777;

test('only root can open the lock of an update, whether it is new or was there with other rights', () => {
  assert.match(update(), new RegExp(reached));
  assert.equal(mode(), 0o600);
  chmodSync(lock, 0o666);
  assert.match(update(), new RegExp(reached));
  assert.equal(mode(), 0o600);
});

test('a second update does not begin while the first holds the lock', () => {
  assert.match(update('flock', lock), /another update is under way/);
  assert.match(update(), new RegExp(reached));
});
