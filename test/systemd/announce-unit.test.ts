import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../support/needs.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const file = path.join(project, 'systemd/poid-announce.service');
const unit = await readFile(file, 'utf8');

test(
  'systemd accepts the unit of the announcement, and would notice a wrong one',
  needs('systemd-analyze'),
  async (t) => {
    const root = await mkdtemp(path.join(tmpdir(), 'poid-systemd-'));
    t.after(() => rm(root, { recursive: true }));
    const home = path.join(root, 'usr/lib/systemd/system');
    await mkdir(home, { recursive: true });
    await cp(path.join(project, 'bin'), path.join(root, 'usr/lib/poid/bin'), { recursive: true });
    await mkdir(path.join(root, 'usr/share/doc/poid'), { recursive: true });
    await writeFile(path.join(root, 'usr/share/doc/poid/README.md'), '');
    const verify = async (text: string) => {
      await writeFile(path.join(home, 'poid-announce.service'), text);
      const words = ['verify', '--recursive-errors=no', `--root=${root}`, 'poid-announce.service'];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
      return { status, text: stdout + stderr };
    };
    assert.deepEqual(await verify(unit), { status: 0, text: '' });
    assert.notEqual((await verify(unit.replace('ProtectClock=', 'ProtectClocks='))).text, '');
  },
);

test('it has a user of its own, and is wanted at each start of the terminal', async () => {
  assert.match(unit, /^User=poid-announce$/m);
  assert.match(unit, /^InaccessiblePaths=-\/state /m);
  assert.match(await readFile(path.join(project, 'systemd/poid.sysusers'), 'utf8'), /^u poid-announce /m);
  assert.match(await readFile(path.join(project, 'systemd/poid.service'), 'utf8'), /^Wants=poid-announce\.service$/m);
  assert.match(unit, /^After=poid\.service$/m);
});

test('its exposure stays where it is', needs('systemd-analyze'), () => {
  // In tenths: 1.8. Most of it is the capability that opens Avahi's directory.
  const words = ['security', '--offline=true', '--no-pager', '--threshold=18', file];
  const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('no unit runs a line of it as root', async () => {
  let units = 0;
  for await (const each of glob('{systemd,image}/**/*.{service,conf}', { cwd: project })) {
    units += 1;
    assert.doesNotMatch(await readFile(path.join(project, each), 'utf8'), /^Exec\w+=[-@:]*[+!]/m, each);
  }
  assert.ok(units >= 10, `${units}`);
});
