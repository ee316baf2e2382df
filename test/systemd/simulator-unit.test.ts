import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../support/needs.ts';

const folder = fileURLToPath(new URL('../../systemd', import.meta.url));
const unit = readFileSync(path.join(folder, 'poid-sim.service'), 'utf8');
const program = path.join(folder, '../bin/poid');

/** What systemd says of a unit in a root that has the program. */
function verified(t: TestContext, text: string): string {
  const root = mkdtempSync(path.join(tmpdir(), 'poid-unit-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const dir of ['usr/lib/systemd/system', 'usr/bin']) mkdirSync(path.join(root, dir), { recursive: true });
  cpSync(program, path.join(root, 'usr/bin/poid-sim'));
  writeFileSync(path.join(root, 'usr/lib/systemd/system/poid-sim.service'), text);
  const parameters = ['verify', '--recursive-errors=no', `--root=${root}`, 'poid-sim.service'];
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', parameters, { encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? stdout + stderr : `${status}: ${stdout}${stderr}`;
}

test('poid-sim.service: systemd accepts it, and would notice a mistake', needs('systemd-analyze'), (t) => {
  assert.equal(verified(t, unit), '');
  for (const [right, wrong] of [
    ['/usr/bin/poid-sim ', '/usr/bin/poid-sin '],
    ['StateDirectory=', 'StateDirectories='],
  ] as const) {
    assert.ok(unit.includes(right));
    assert.notEqual(verified(t, unit.replace(right, wrong)), '');
  }
});

test('it runs as the daemon does, whose devices it makes', () => {
  const daemon = readFileSync(path.join(folder, 'poid.service'), 'utf8');
  for (const setting of [/^User=(.*)$/m, /^Group=(.*)$/m]) {
    assert.equal(setting.exec(unit)?.[1], setting.exec(daemon)?.[1]);
  }
  assert.match(unit, /^Before=poid\.service$/m);
});
