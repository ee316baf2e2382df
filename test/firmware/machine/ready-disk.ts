import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Container } from '../../packaging/machine/container.ts';
import { Shop } from '../../packaging/machine/shop.ts';
import { makeTree, overlayDisk, writeDisk } from './base-disk.ts';
import { Guest } from './guest.ts';
import { patience } from './patience.ts';
import { machineWith, packages, readySnapshot, terminalDisk } from './terminal-disk.ts';

/**
 * Makes the disk that the tests begin with: a terminal that has sold, and a snapshot of it. A container installs and
 * provisions it, and sells first, because it does not emulate a processor; installed.guest.ts shows the same in a machine.
 */
export async function makeReadyDisk(): Promise<void> {
  const dir = mkdtempSync(path.join(packages, 'ready-'));
  const root = path.join(dir, 'root');
  const file = path.join(packages, 'ready.ext4');
  try {
    makeTree(root);
    await installIn(root);
    writeDisk(root, file);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const guest = await Guest.boot(machineWith(overlayDisk(terminalDisk, file, 'raw')));
  try {
    const shop = new Shop(guest, { readyMs: patience.ms, lookMs: patience.lookMs });
    const { responseResult } = await shop.sell('in the machine');
    if (responseResult !== 'SUCCESS') throw new Error(`the terminal does not sell: ${responseResult}`);
    console.log(`a terminal is ready, its processor was busy for ${guest.cpuSeconds().toFixed(0)} s`);
    await guest.keep(readySnapshot);
  } finally {
    await guest.stop();
  }
}

async function installIn(root: string): Promise<void> {
  const container = await Container.boot(root, [`--bind-ro=${packages}:/packages`]);
  try {
    await container.outputOf('apt install -y /packages/poid_*.deb /packages/poid-sim_*.deb');
    const shop = new Shop(container);
    await shop.provision();
    await shop.sell('in the container');
    // What Node has compiled is written when a process ends: each later start is shorter.
    await container.outputOf('systemctl stop poid poid-sim');
  } finally {
    await container.stop();
  }
}
