import type { ReportTransport } from '../../../drivers/transport/reports.ts';
import type { Transport } from '../../../drivers/transport/transport.ts';
import { DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';

/** A path whose other end is the test, of bytes or of reports: it sees every write, and says what comes back. */
export class ScriptedPath implements Transport, ReportTransport {
  readonly path = '/dev/reader';
  state: DeviceState = 'ready';
  closed = false;
  /** 'stuck': never taken. */
  writes: 'taken' | 'stuck' | 'refused' = 'taken';
  readonly written: Uint8Array[] = [];
  /** The other end. */
  onWrite: (bytes: Uint8Array) => void = () => {};
  readonly #states = new Set<(state: DeviceState) => void>();
  readonly #data = new Set<(bytes: Uint8Array) => void>();

  onState(listener: (state: DeviceState) => void): () => void {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    this.#data.add(listener);
    return () => this.#data.delete(listener);
  }

  onReport(listener: (report: Uint8Array) => void): () => void {
    return this.onData(listener);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.writes === 'stuck') return new Promise(() => {});
    if (this.writes === 'refused' || this.state !== 'ready') throw new DeviceError('absent', 'nothing there');
    const copy = Uint8Array.from(bytes);
    this.written.push(copy);
    queueMicrotask(() => {
      if (this.state === 'ready') this.onWrite(copy);
    });
  }

  receive(bytes: Uint8Array): void {
    for (const listener of this.#data) listener(Uint8Array.from(bytes));
  }

  become(state: DeviceState): void {
    this.state = state;
    for (const listener of this.#states) listener(state);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.state = 'absent';
  }

  get listeners(): number {
    return this.#states.size + this.#data.size;
  }
}
