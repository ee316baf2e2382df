import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of root's, as the configuration beside it. */
export function serialNumberBeside(configuration: string): string {
  return path.join(path.dirname(configuration), 'serial-number');
}

/** The serial number that the terminal was provisioned with; it outlives a factory reset. Undefined: none yet. */
export function readSerialNumber({ serialNumber }: { readonly serialNumber: string }): string | undefined {
  return existsSync(serialNumber) ? readFileSync(serialNumber, 'utf8').trim() : undefined;
}
