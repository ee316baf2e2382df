import { reportBytes } from './port.ts';

/** Cuts a stream of bytes into reports. */
export class ReportAssembler {
  #buffer: Buffer = Buffer.alloc(0);

  /** Bytes of an incomplete report. */
  get pendingBytes(): number {
    return this.#buffer.length;
  }

  push(chunk: Uint8Array): Buffer[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const reports: Buffer[] = [];
    while (this.#buffer.length >= reportBytes) {
      reports.push(Buffer.from(this.#buffer.subarray(0, reportBytes)));
      this.#buffer = this.#buffer.subarray(reportBytes);
    }
    return reports;
  }

  /** Drops an incomplete report, and returns its bytes. */
  abandon(): Buffer {
    const bytes = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    return bytes;
  }
}
