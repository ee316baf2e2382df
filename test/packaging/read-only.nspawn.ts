import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Container, freshRoot, removeRoot } from './machine/container.ts';
import { packageFile } from './machine/packages.ts';
import { Shop } from './machine/shop.ts';

test('on a read-only root the terminal sells, and keeps its journal on the disk for it alone', async (t) => {
  const root = freshRoot();
  const containers: Container[] = [];
  t.after(async () => {
    for (const each of containers) await each.stop();
    removeRoot(root);
  });
  for (const name of ['poid', 'poid-sim'] as const) {
    const file = packageFile(name);
    cpSync(file, path.join(root, 'root', path.basename(file)));
  }
  const factory = await Container.boot(root);
  const first = new Shop(factory);
  try {
    await factory.outputOf('dpkg -i /root/poid_*.deb /root/poid-sim_*.deb');
    await first.provision();
    assert.equal((await first.sell('at the factory')).responseResult, 'SUCCESS');
    await factory.outputOf('systemctl stop poid poid-sim');
  } finally {
    await factory.stop();
  }
  // The root is read-only and /var is empty memory, but for these. systemd keeps there what it has sealed the keys with.
  const state = path.join(path.dirname(root), 'state');
  mkdirSync(state);
  const binds = ['poid', 'poid-sim', 'systemd'].map((name) => {
    execFileSync('cp', ['-a', path.join(root, 'var/lib', name), state]);
    return `--bind=${path.join(state, name)}:/var/lib/${name}`;
  });
  const container = await Container.boot(root, ['--volatile=state', ...binds]);
  containers.push(container);
  const shop = new Shop(container);
  assert.match(
    (await container.run('touch /usr/written /etc/written')).said,
    /Read-only file system[^]*Read-only file system/,
  );
  assert.equal((await shop.sell('in the shop')).responseResult, 'SUCCESS');
  assert.equal((await shop.enquire('at the factory')).responseResult, 'SUCCESS');
  assert.doesNotMatch(await container.outputOf('journalctl -u poid -o cat'), /read-only|EROFS/i);
});
