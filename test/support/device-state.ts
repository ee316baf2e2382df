import type { DeviceState } from '../../src/base/ports/device.ts';

/** A device, a line or a stream, as it tells its state. */
interface Stateful {
  readonly state: DeviceState;
  onState(listener: (state: DeviceState) => void): () => void;
}

/** Resolves once it is in that state. The test's deadline ends it. */
export function becomes(device: Stateful, state: DeviceState): Promise<void> {
  if (device.state === state) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = device.onState((next) => {
      if (next !== state) return;
      stop();
      resolve();
    });
  });
}
