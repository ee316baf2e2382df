import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Shop } from '../packaging/machine/shop.ts';
import { baseDisk, overlayDisk } from './machine/base-disk.ts';
import { Guest } from './machine/guest.ts';
import { patience } from './machine/patience.ts';
import { machineWith, packages } from './machine/terminal-disk.ts';

test('on a clean Debian without network: install, provision, and the sale of the README is approved', async (t) => {
  const disk = overlayDisk(path.join(packages, 'installed.qcow2'), baseDisk().root, 'raw');
  const guest = await Guest.boot(machineWith(disk));
  t.after(async () => {
    t.diagnostic(`the emulated processor was busy for ${guest.cpuSeconds().toFixed(0)} s`);
    await guest.stop();
  });
  try {
    await installAndSell(guest);
  } catch (error) {
    await guest.printLog();
    throw error;
  }
});

async function installAndSell(guest: Guest): Promise<void> {
  assert.equal(await guest.outputOf('stat -fc %T /sys/fs/cgroup'), 'cgroup2fs');
  assert.equal(await guest.outputOf('ls /sys/class/net'), 'lo');
  await guest.outputOf('tar -x -f /dev/vdb -C /root && cd /root && apt install -y ./poid_*.deb ./poid-sim_*.deb');
  const shop = new Shop(guest, { readyMs: patience.ms, lookMs: patience.lookMs, connectMs: 30_000 });
  await shop.provision();
  assert.equal((await shop.sellAsReadme()).responseResult, 'SUCCESS');
}
