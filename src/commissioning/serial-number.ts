import { existsSync, readFileSync } from 'node:fs';
import type { Places } from './places.ts';

/** The serial number that the terminal was provisioned with; it outlives a factory reset. Undefined: none yet. */
export function readSerialNumber({ serialNumber }: Pick<Places, 'serialNumber'>): string | undefined {
  return existsSync(serialNumber) ? readFileSync(serialNumber, 'utf8').trim() : undefined;
}
