import path from 'node:path';
import { baseDisk } from './base-disk.ts';
import type { Hardware } from './guest.ts';

/** Where test/firmware/main.ts has built the packages. */
export const packages = process.env['POID_FIRMWARE'] ?? '';

/** What ready-disk.ts leaves: a terminal that has sold, and its snapshot. */
export const terminalDisk = path.join(packages, 'terminal.qcow2');
export const readySnapshot = 'ready';

/** A machine with this disk, and the packages on a second one. */
export function machineWith(disk: string): Hardware {
  const second = { file: path.join(packages, 'packages.tar'), format: 'raw', isReadOnly: true } as const;
  return { disks: [{ file: disk, format: 'qcow2' }, second], kernel: baseDisk().kernel };
}
