import type { DeviceState } from '../../src/base/ports/device.ts';

/**
 * Bytes to and from a device. It reconnects by itself until closed; `onState` tells the driver. 'ready' here means
 * that the path is open and bytes can be written.
 */
export interface Transport {
  /** For log and status: the configured path. */
  readonly path: string;
  readonly state: DeviceState;
  /** True of an open path from which nothing can be read. */
  readonly oneWay?: boolean;
  onState(listener: (state: DeviceState) => void): () => void;
  onData(listener: (chunk: Uint8Array) => void): () => void;
  /** Resolves when the operating system has taken all bytes. Rejects with DeviceError 'absent' or 'vanished'. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
