import type { CollectMode } from '../../base/domain/entry-mode.ts';
import type { Collecting } from '../transaction/machine.ts';

/**
 * A device that is armed while the acceptance of its payment is still being written. Whatever it reads waits: nobody
 * takes it before the acceptance is durable, and where it does not become so, the device is disarmed.
 */
export class ArmedAhead {
  readonly #mode: CollectMode;
  readonly #stop = new AbortController();
  readonly #collecting: Promise<Collecting>;

  constructor(mode: CollectMode, collect: (signal: AbortSignal) => Promise<Collecting>) {
    this.#mode = mode;
    this.#collecting = collect(this.#stop.signal);
    // A device may fail before anybody waits for it.
    this.#collecting.catch(() => undefined);
  }

  /** The collecting that has begun, which `signal` ends from now on. For any other mode, it is ended. */
  take(mode: CollectMode, signal: AbortSignal): Promise<Collecting> | undefined {
    if (mode !== this.#mode) {
      this.stop();
      return undefined;
    }
    if (signal.aborted) this.stop();
    else signal.addEventListener('abort', () => this.stop(), { once: true });
    return this.#collecting;
  }

  /** The device's confirmation is for its session's `disarm`. */
  stop(): void {
    this.#stop.abort();
  }
}
