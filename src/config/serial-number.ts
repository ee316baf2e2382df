import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from './configuration.ts';

/** A file of root's, as the configuration beside it. */
export function serialNumberBeside(configuration: string): string {
  return path.join(path.dirname(configuration), 'serial-number');
}

/** The serial number that the terminal was provisioned with; it outlives a factory reset. Undefined: none yet. */
export function readSerialNumber({ serialNumber }: { readonly serialNumber: string }): string | undefined {
  return existsSync(serialNumber) ? readFileSync(serialNumber, 'utf8').trim() : undefined;
}

/** With the terminal's name at the broker: the serial number beside the configuration's file, where that has no name. */
export function withTerminalName(configuration: Configuration, file: string): Configuration {
  const { cloud } = configuration;
  if (!cloud || cloud.terminal !== undefined) return configuration;
  const terminal = readSerialNumber({ serialNumber: serialNumberBeside(file) });
  return terminal === undefined ? configuration : { ...configuration, cloud: { ...cloud, terminal } };
}
