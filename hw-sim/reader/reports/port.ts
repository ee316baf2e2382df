/** Bytes of a HID report of both readers, including the report id of a reader that has one. */
export const reportBytes = 64;

/** uhid: a virtual HID device of the kernel. stream: the same reports back to back on a pseudo-terminal. */
export const carriers = ['uhid', 'stream'] as const;
export type Carrier = (typeof carriers)[number];

/** The device's end of a HID cable. */
export interface ReportPort {
  readonly carrier: Carrier;
  /** For the start-up lines: the carrier of the reports, and why it is not the kernel. */
  readonly description: string;
  /** The link to a stream; undefined for a HID device, which is found by vendor and product. */
  readonly link: string | undefined;
  readonly plugged: boolean;
  /**
   * Writes whole reports back to back, or pieces of one: HID waits for the rest, a stream passes them on. Never waits;
   * bytes that nothing reads are lost.
   */
  write(bytes: Uint8Array): void;
  /** Reports of `reportBytes`. */
  onReport(listener: (report: Buffer) => void): void;
  /** Bytes that are no report, or an incomplete one. */
  onUnexpected(listener: (bytes: Buffer) => void): void;
  unplug(): Promise<void>;
  plug(): Promise<void>;
  close(): Promise<void>;
}

/** The device's identity for the kernel. */
export interface HidIdentity {
  readonly name: string;
  readonly serial: string;
  readonly vendor: number;
  readonly product: number;
  readonly descriptor: Buffer;
}
