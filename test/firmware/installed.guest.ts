import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shop } from '../packaging/machine/shop.ts';
import { baseDisk, overlayDisk } from './machine/base-disk.ts';
import { Guest } from './machine/guest.ts';
import { machineWith, readySnapshot, terminalDisk } from './machine/terminal-disk.ts';

const readyMs = 480_000;
const lookMs = 2_000;

test('on a clean Debian without network: install, provision, and the sale of the README is approved', async (t) => {
  const guest = await Guest.boot(machineWith(overlayDisk(terminalDisk, baseDisk().root, 'raw')));
  t.after(() => guest.stop());
  assert.equal(await guest.told('stat -fc %T /sys/fs/cgroup'), 'cgroup2fs');
  assert.equal(await guest.told('ls /sys/class/net'), 'lo');
  await guest.told('tar -x -f /dev/vdb -C /root && cd /root && apt install -y ./poid_*.deb ./poid-sim_*.deb');
  const shop = new Shop(guest, { readyMs, lookMs });
  await shop.provision();
  assert.equal((await shop.sellAsReadme()).responseResult, 'SUCCESS');
  await shop.ready();
  await guest.keep(readySnapshot);
});
