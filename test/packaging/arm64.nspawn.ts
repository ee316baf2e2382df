import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { arm64Libraries, baseRoot } from './machine/base-root.ts';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { built, packageFile } from './machine/packages.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
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

test('the package for arm64, emulated: systemd hears READY, and the status is answered', {
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
  for (const each of ['etc/poid', 'tmp', 'proc', 'sys', 'dev']) mkdirSync(path.join(tree, each), { recursive: true });
  cpSync(path.join(project, 'systemd/poid.json'), path.join(tree, 'etc/poid/poid.json'));
  writeFileSync(path.join(root, 'etc/systemd/system/poid-arm64.service'), unit);
  const container = await Container.boot(root);
  containers.push(container);
  const began = performance.now();
  // Returns once systemd has heard READY, or has given up.
  await container.told('systemctl start poid-arm64');
  t.diagnostic(`from start to READY, emulated: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  assert.equal(await container.unit('ActiveState', 'poid-arm64'), 'active');
  assert.match(await container.unit('StatusText', 'poid-arm64'), /^listening on port 8080/);
  const said = await until('the status', 30_000, async () => {
    const { code, said: answer } = await container.run('curl -sf -m 10 http://127.0.0.1:8080/sp/v1/status');
    return code === 0 ? answer : undefined;
  });
  assert.equal((JSON.parse(said) as { journal: string }).journal, 'ok');
  assert.doesNotMatch(await container.told('journalctl -u poid-arm64 -o cat'), /systemd is told nothing/);
});
