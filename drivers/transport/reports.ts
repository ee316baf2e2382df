import type { DeviceState } from '../../src/ports/device.ts';

/** Bytes of a report, both ways: MagTek MMS without a report id, ID TECH NEO2 with its id as the first of them. */
export const reportBytes = 64;

/**
 * Reports to and from a device, whatever carries them. As a Transport it reconnects by itself until closed, and 'ready' means
 * that reports can be written.
 */
export interface ReportTransport {
  /** For log and status: the path, or the vendor and product id, that was configured. */
  readonly path: string;
  readonly state: DeviceState;
  onState(listener: (state: DeviceState) => void): () => void;
  /** Each report once, whole: 64 bytes, which the listener may keep and wipe. */
  onReport(listener: (report: Uint8Array) => void): () => void;
  /** One report of 64 bytes. Resolves when the operating system has taken it. Rejects with DeviceError 'absent' or 'vanished'. */
  write(report: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
