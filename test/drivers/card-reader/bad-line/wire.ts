import type { Transport } from '../../../../drivers/transport/transport.ts';
import type { Pty } from '../../../../hw-sim/pty.ts';
import type { Clock } from '../../../../src/base/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../../../src/base/ports/device.ts';

/** How long a transport takes to find a cable that is plugged in again. */
const reconnectMs = 250;

/** A serial wire in one process: the device's end is a Pty, the driver's a Transport. */
export class Wire implements Pty {
  readonly link = '/dev/reader';
  readonly host: Transport;
  readonly #clock: Clock;
  readonly #deviceListeners: ((chunk: Buffer) => void)[] = [];
  readonly #hostListeners = new Set<(chunk: Uint8Array) => void>();
  readonly #states = new Set<(state: DeviceState) => void>();
  #plugged = true;
  #state: DeviceState = 'ready';
  #reconnecting: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.host = this.#hostEnd();
  }

  get plugged(): boolean {
    return this.#plugged;
  }

  write(bytes: Uint8Array): void {
    if (this.#state !== 'ready') return;
    for (const listener of this.#hostListeners) listener(Uint8Array.from(bytes));
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#deviceListeners.push(listener);
  }

  async unplug(): Promise<void> {
    this.#plugged = false;
    this.#clock.clearTimeout(this.#reconnecting);
    this.#become('absent');
  }

  async plug(): Promise<void> {
    if (this.#plugged) return;
    this.#plugged = true;
    this.#reconnecting = this.#clock.setTimeout(() => this.#become('ready'), reconnectMs);
  }

  close(): Promise<void> {
    return this.unplug();
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#states) listener(state);
  }

  #hostEnd(): Transport {
    const state = () => this.#state;
    return {
      path: this.link,
      get state() {
        return state();
      },
      onState: (listener) => {
        this.#states.add(listener);
        return () => this.#states.delete(listener);
      },
      onData: (listener) => {
        this.#hostListeners.add(listener);
        return () => this.#hostListeners.delete(listener);
      },
      write: async (bytes) => {
        if (this.#state !== 'ready') throw new DeviceError('absent', 'nothing there');
        const chunk = Buffer.from(bytes);
        // Never while the driver is still in its call: a wire is not that fast.
        queueMicrotask(() => {
          for (const listener of this.#deviceListeners) listener(chunk);
        });
      },
      close: () => this.unplug(),
    };
  }
}
