import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('test:package that lacks its programs, or root, names them and fails', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8', env: { PATH: '' } });
  assert.equal(status, 1);
  assert.equal(stdout, '');
  if (process.getuid?.() === 0)
    assert.match(stderr, /^test:package lacks mmdebstrap \(Debian: mmdebstrap\), systemd-nspawn/);
  else assert.equal(stderr, 'test:package needs root: it starts containers\n');
});
