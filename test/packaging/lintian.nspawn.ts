import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { packageFile } from './machine/packages.ts';

/** Of the packages as they are built here; npm run package makes them with xz. */
const uncompressed = [
  '--suppress-tags',
  'uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball',
];

/** Its tags, one a line; overridden ones are not told. */
function lint(file: string): string {
  const parameters = ['--allow-root', '--fail-on', 'none', '--tag-display-limit', '0', ...uncompressed, file];
  const { error, stdout, stderr } = spawnSync('lintian', parameters, { encoding: 'utf8' });
  if (error) throw error;
  return `${stdout}${stderr}`.trim();
}

for (const name of ['poid', 'poid-sim'] as const) {
  test(`lintian has nothing to say of ${name}`, () => {
    assert.equal(lint(packageFile(name)), '');
  });
}

test('and would notice a mistake', (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-lintian-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const tree = path.join(dir, 'tree');
  execFileSync('dpkg-deb', ['-R', packageFile('poid-sim'), tree]);
  cpSync(path.join(tree, 'usr/bin/poid-sim'), path.join(tree, 'usr/local/bin/poid-sim'));
  writeFileSync(path.join(tree, 'DEBIAN/postinst'), 'exit 0\n', { mode: 0o755 });
  const file = path.join(dir, 'poid-sim_1_all.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
  assert.match(lint(file), /E: poid-sim: (?:file-in-usr-local|dir-in-usr-local)/);
});
