import { DeviceError } from '../../src/ports/device.ts';

/** Of what a reader says of a card. Its message names tags and offsets, never a value. */
export function protocolError(what: string): DeviceError {
  return new DeviceError('protocol', `card answer: ${what}`);
}
