import type { DeviceState } from '../../src/base/ports/device.ts';

/** Bytes of a report in both directions. MagTek MMS has no report id; ID TECH NEO2 has it as the first byte. */
export const reportBytes = 64;

/**
 * HID reports to and from a device. Like a Transport it reconnects by itself until closed, and 'ready' means that
 * reports can be written.
 */
export interface ReportTransport {
  /** For log and status: the configured path, or vendor and product id. */
  readonly path: string;
  readonly state: DeviceState;
  onState(listener: (state: DeviceState) => void): () => void;
  /** Gives each report once: 64 bytes, which the listener may keep and overwrite. */
  onReport(listener: (report: Uint8Array) => void): () => void;
  /**
   * One report of 64 bytes. Resolves when the system has taken it. Rejects with DeviceError 'absent' or 'vanished'.
   */
  write(report: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
