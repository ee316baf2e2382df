import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sampleConfiguration, sampleNames } from '../../src/config/sample.ts';
import { arm64Libraries, baseRoot } from './machine/base-root.ts';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { built, packageFile } from './machine/packages.ts';

const emulator = '/usr/bin/qemu-aarch64-static';
const daemon =
  '/usr/lib/poid/bin/node /usr/lib/poid/dist/cli.js run --config /etc/poid/poid.json --state-dir /tmp/state';

/** The daemon of the package under emulation, in a tree of its own. systemd itself is of this machine. */
const unit = `[Service]
Type=notify
NotifyAccess=main
RootDirectory=/srv/arm64
MountAPIVFS=yes
ExecStart=${emulator} ${daemon}
TimeoutStartSec=100
# The emulator does not end at once.
TimeoutStopSec=5
`;

/** A program of this machine with its libraries: under emulation, the kernel starts no other program of arm64. */
function filesOf(program: string): string[] {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g);
  assert.ok(libraries, program);
  return [program, ...libraries];
}

const installedUnit = (tree: string) => path.join(tree, 'lib/systemd/system/poid.service');

test('the package for arm64, emulated, with TLS, pairing and every method: systemd hears READY, and the status is answered', {
  timeout: 200_000,
}, async (t) => {
  assert.ok(existsSync(emulator), `${emulator} is missing (Debian: qemu-user-static)`);
  const root = freshRoot();
  const containers: Container[] = [];
  t.after(async () => {
    for (const each of containers) await each.stop();
    removeRoot(root);
  });
  const tree = path.join(root, 'srv/arm64');
  execFileSync('cp', ['-a', '--reflink=auto', baseRoot(arm64Libraries), tree]);
  execFileSync('dpkg-deb', ['-x', packageFile('poid', built, 'arm64'), tree]);
  cpSync(emulator, path.join(tree, emulator));
  for (const file of filesOf('/usr/bin/flock')) {
    mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
    copyFileSync(file, path.join(tree, file));
  }
  for (const each of ['etc/poid', 'tmp', 'proc', 'sys', 'dev']) mkdirSync(path.join(tree, each), { recursive: true });
  const configuration = JSON.stringify(sampleConfiguration(sampleNames).configuration);
  // Nothing was provisioned, so no credential has the key.
  const withKey = configuration.replace('{"credential":"qr"}', '"abcd1234"');
  assert.notEqual(withKey, configuration);
  writeFileSync(path.join(tree, 'etc/poid/poid.json'), withKey);
  const [families = ''] = /^RestrictAddressFamilies=.*$/m.exec(readFileSync(installedUnit(tree), 'utf8')) ?? [];
  assert.notEqual(families, '');
  writeFileSync(path.join(root, 'etc/systemd/system/poid-arm64.service'), `${unit}${families}\n`);
  const container = await Container.boot(root);
  containers.push(container);
  const began = performance.now();
  // Returns once systemd has heard READY, or has given up.
  const { code: started } = await container.run('systemctl start poid-arm64');
  assert.equal(started, 0, (await container.run('journalctl --sync; journalctl -u poid-arm64 -o cat')).said);
  t.diagnostic(`from start to READY, emulated: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  assert.equal(await container.unit('ActiveState', 'poid-arm64'), 'active');
  assert.match(await container.unit('StatusText', 'poid-arm64'), /^listening on port 8080/);
  const said = await until('the status', 30_000, async () => {
    const { code, said: answer } = await container.run('curl -sf -m 10 http://127.0.0.1:8081/status');
    return code === 0 ? answer : undefined;
  });
  assert.equal((JSON.parse(said) as { journal: string }).journal, 'ok');
  assert.match((await container.run('curl -sk -m 10 https://127.0.0.1:8080/sp/v1/status')).said, /notPaired/);
  assert.doesNotMatch(
    await container.outputOf('journalctl -u poid-arm64 -o cat'),
    /systemd is told nothing|can't be listed/,
  );
});
