import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tokenCredentials } from '../../src/admin/update-agent-command.ts';
import { needs } from '../support/needs.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const files = path.join(project, 'image/files');
const unit = await readFile(path.join(files, 'usr/lib/systemd/system/poid-update.service'), 'utf8');

test(
  'systemd accepts the unit of the update agent, without a word, and would notice a wrong one',
  needs('systemd-analyze'),
  async (t) => {
    const root = await mkdtemp(path.join(tmpdir(), 'poid-systemd-'));
    t.after(() => rm(root, { recursive: true }));
    const home = path.join(root, 'usr/lib/systemd/system');
    await mkdir(home, { recursive: true });
    await cp(path.join(project, 'bin'), path.join(root, 'usr/lib/poid/bin'), { recursive: true });
    await mkdir(path.join(root, 'usr/share/doc/poid'), { recursive: true });
    await writeFile(path.join(root, 'usr/share/doc/poid/fleet.md'), '');
    const verify = () => {
      const words = ['verify', '--recursive-errors=no', `--root=${root}`, 'poid-update.service'];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
      return { status, text: stdout + stderr };
    };
    await writeFile(path.join(home, 'poid-update.service'), unit);
    assert.deepEqual(verify(), { status: 0, text: '' });
    await writeFile(path.join(home, 'poid-update.service'), unit.replace('ProtectClock=', 'ProtectClocks='));
    assert.notEqual(verify().text, '');
  },
);

test('it takes hawkBit’s token sealed or plain: each has a name of its own, or systemd 252 would look for the last alone', () => {
  const settings = [...unit.matchAll(/^(LoadCredential\w*)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  assert.deepEqual(settings, [
    ['LoadCredential', tokenCredentials.plain],
    ['LoadCredentialEncrypted', tokenCredentials.sealed],
  ]);
  assert.notEqual(tokenCredentials.plain, tokenCredentials.sealed);
});

test('it may change its own directory and root’s record alone, and both are kept over the update', async () => {
  assert.match(unit, /^CapabilityBoundingSet=$/m);
  assert.match(
    unit,
    /^InaccessiblePaths=-\/var\/lib\/poid -\/var\/cache\/poid -\/state\/var\/lib\/poid -\/state\/var\/cache\/poid$/m,
  );
  assert.match(unit, /^ProtectSystem=strict$/m);
  assert.match(unit, /^StateDirectory=poid-update poid-admin$/m);
  assert.doesNotMatch(unit, /^ReadWritePaths=/m);
  // It makes its directory its own.
  assert.match(unit, /^SystemCallFilter=~@privileged\n(?:#.*\n)*SystemCallFilter=@chown$/m);
  const kept = await readFile(path.join(files, 'usr/lib/poid-image/kept.d/poid'), 'utf8');
  assert.match(kept, /^\/var\/lib\/poid-update$/m);
  assert.match(kept, /^\/var\/lib\/poid-admin$/m);
});
