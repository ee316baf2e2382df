import type { Transport } from '../../../drivers/transport/transport.ts';
import { DeviceError, type DeviceState } from '../../../src/ports/device.ts';

/** A line with the test at its other end. */
export class ScriptedTransport implements Transport {
  readonly path = '/dev/scanner-under-test';
  state: DeviceState = 'ready';
  closed = false;
  /** Every write, as hex. */
  readonly writes: string[] = [];
  /** Runs before each write is taken: may wait or throw. */
  onWrite: () => Promise<void> | void = () => {};
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#dataListeners.add(listener);
    return () => this.#dataListeners.delete(listener);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.state !== 'ready' || this.closed) throw new DeviceError('absent', 'not connected');
    this.writes.push(Buffer.from(bytes).toString('hex'));
    await this.onWrite();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.become('absent');
  }

  /** Text as the scanner's bytes, or the bytes themselves. */
  emit(data: string | Uint8Array): void {
    const chunk = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
    for (const listener of this.#dataListeners) listener(chunk);
  }

  become(state: DeviceState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of this.#stateListeners) listener(state);
  }

  get listeners(): number {
    return this.#stateListeners.size + this.#dataListeners.size;
  }
}
