/** HID reports of both readers, with the report id of one that has some. */
export const reportBytes = 64;

/** uhid: a virtual HID device of the kernel. stream: the same reports back to back on a pseudo-terminal. */
export type Carrier = 'uhid' | 'stream';

/** The device's end of a HID cable. */
export interface ReportPort {
  readonly carrier: Carrier;
  /** Where the other end opens a stream; nothing where it finds a HID device by vendor and product. */
  readonly link: string | undefined;
  readonly plugged: boolean;
  /**
   * Whole reports, one behind the other, or pieces of one: HID waits for the rest, a stream passes them on. Never waits; what
   * nobody takes is lost.
   */
  write(bytes: Uint8Array): void;
  /** Reports of `reportBytes`. */
  onReport(listener: (report: Buffer) => void): void;
  /** Bytes that are no report, or a part of one that did not go on. */
  onStray(listener: (bytes: Buffer) => void): void;
  unplug(): Promise<void>;
  plug(): Promise<void>;
  close(): Promise<void>;
}

/** As the host's kernel tells it. */
export interface HidIdentity {
  readonly name: string;
  readonly serial: string;
  readonly vendor: number;
  readonly product: number;
  readonly descriptor: Buffer;
}
