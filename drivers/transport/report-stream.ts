import type { Clock } from '../../src/base/ports/clock.ts';
import type { DeviceState } from '../../src/base/ports/device.ts';
import { reportBytes, type ReportTransport } from './reports.ts';
import type { Transport } from './transport.ts';

export interface ReportStreamOptions {
  readonly clock: Clock;
  /**
   * An incomplete report is dropped this long after its last byte. A stream has no frames: without this pause one lost
   * byte would shift every later report.
   */
  readonly gapMs?: number;
}

/**
 * HID reports back to back on a byte stream, for a machine whose kernel offers no HID device (fixtures/README.md). It
 * owns the transport from now on.
 */
export function reportStream(transport: Transport, options: ReportStreamOptions): ReportTransport {
  return new ReportStream(transport, options);
}

class ReportStream implements ReportTransport {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #gapMs: number;
  readonly #listeners = new Set<(report: Uint8Array) => void>();
  readonly #leaveTransport: readonly (() => void)[];
  readonly #partial = new Uint8Array(reportBytes);
  #used = 0;
  #gapTimer: unknown;

  constructor(transport: Transport, { clock, gapMs = 500 }: ReportStreamOptions) {
    this.#transport = transport;
    this.#clock = clock;
    this.#gapMs = gapMs;
    this.#leaveTransport = [
      transport.onData((chunk) => this.#receive(chunk)),
      transport.onState(() => this.#resynchronise()),
    ];
  }

  get path(): string {
    return this.#transport.path;
  }

  get state(): DeviceState {
    return this.#transport.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#transport.onState(listener);
  }

  onReport(listener: (report: Uint8Array) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async write(report: Uint8Array): Promise<void> {
    if (report.length !== reportBytes) throw new RangeError(`a report of ${report.length} bytes`);
    await this.#transport.write(report);
  }

  async close(): Promise<void> {
    await this.#transport.close();
    for (const leave of this.#leaveTransport) leave();
    this.#resynchronise();
    this.#listeners.clear();
  }

  #receive(chunk: Uint8Array): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    let at = 0;
    while (at < chunk.length) {
      const part = chunk.subarray(at, at + reportBytes - this.#used);
      this.#partial.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      if (this.#used < reportBytes) break;
      const report = this.#partial.slice();
      this.#used = 0;
      this.#partial.fill(0);
      for (const listener of this.#listeners) listener(report);
    }
    chunk.fill(0);
    if (this.#used > 0) this.#gapTimer = this.#clock.setTimeout(() => this.#resynchronise(), this.#gapMs);
  }

  /** The next byte is the first of a report. */
  #resynchronise(): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    this.#used = 0;
    this.#partial.fill(0);
  }
}
