import path from 'node:path';
import { baseDisk } from './base-disk.ts';
import type { Hardware } from './guest.ts';

/** Where test/firmware/main.ts has built the packages. */
const work = process.env['POID_FIRMWARE'] ?? '';

/** What installed.guest.ts leaves: a terminal that has sold, and its snapshot. */
export const terminalDisk = path.join(work, 'terminal.qcow2');
export const readySnapshot = 'ready';

/** A machine with this disk, and the packages on a second one. */
export function machineWith(disk: string): Hardware {
  const packages = { file: path.join(work, 'packages.tar'), format: 'raw', isReadOnly: true } as const;
  return { disks: [{ file: disk, format: 'qcow2' }, packages], kernel: baseDisk().kernel };
}
