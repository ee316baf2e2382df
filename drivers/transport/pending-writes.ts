import type { Clock } from '../../src/base/ports/clock.ts';
import { DeviceError } from '../../src/base/ports/device.ts';

interface PendingWrite {
  readonly bytes: number;
  readonly finish: (error?: DeviceError) => void;
}

/** The writes to a path that the operating system has not taken yet. */
export class PendingWrites {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #writes = new Set<PendingWrite>();

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  get count(): number {
    return this.#writes.size;
  }

  get bytes(): number {
    let bytes = 0;
    for (const write of this.#writes) bytes += write.bytes;
    return bytes;
  }

  /**
   * Resolves when `begin` calls `taken`. Rejects with DeviceError 'vanished' at `fail`, which `onTimeout` must call.
   */
  add(bytes: number, timeoutMs: number, onTimeout: () => void, begin: (taken: () => void) => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const finish = (error?: DeviceError) => {
        if (!this.#writes.delete(write)) return;
        this.#clock.clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      const write: PendingWrite = { bytes, finish };
      const timer = this.#clock.setTimeout(onTimeout, timeoutMs);
      this.#writes.add(write);
      begin(() => finish());
    });
  }

  /** The path vanished: all waiting writes fail. */
  fail(): void {
    for (const write of this.#writes) write.finish(this.vanishedError());
  }

  vanishedError(): DeviceError {
    return new DeviceError('vanished', `${this.#path} vanished during a write`);
  }
}
