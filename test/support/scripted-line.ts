import type { Transport } from '../../drivers/transport/transport.ts';
import type { DeviceState } from '../../src/base/ports/device.ts';

/** A line whose other end is the test: `write` in the subclass gives the device's answers. */
export abstract class ScriptedLine implements Transport {
  readonly path: string;
  state: DeviceState;
  closed = false;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();

  constructor(path: string, state: DeviceState) {
    this.path = path;
    this.state = state;
  }

  abstract write(bytes: Uint8Array): Promise<void>;

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#dataListeners.add(listener);
    return () => this.#dataListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.become('absent');
  }

  /** Bytes of the device arrive. */
  receive(bytes: Uint8Array): void {
    const chunk = Uint8Array.from(bytes);
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
