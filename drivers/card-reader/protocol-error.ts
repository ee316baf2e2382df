import { DeviceError } from '../../src/base/ports/device.ts';

/** The error for card data that breaks the protocol. Its message names tags and offsets, never a value. */
export function protocolError(what: string): DeviceError {
  return new DeviceError('protocol', `card answer: ${what}`);
}
