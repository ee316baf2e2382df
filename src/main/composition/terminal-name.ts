import { readSerialNumber, serialNumberBeside } from '../../config/serial-number.ts';
import type { Configuration } from '../../config/configuration.ts';

/** With the terminal's name at the broker: the serial number beside the configuration's file, where that has no name. */
export function withTerminalName(configuration: Configuration, file: string): Configuration {
  const { cloud } = configuration;
  if (!cloud || cloud.terminal !== undefined) return configuration;
  const terminal = readSerialNumber({ serialNumber: serialNumberBeside(file) });
  return terminal === undefined ? configuration : { ...configuration, cloud: { ...cloud, terminal } };
}
