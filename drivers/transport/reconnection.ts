import type { Clock } from '../../src/base/ports/clock.ts';
import {
  type AbsenceListener,
  type DeviceAbsence,
  DeviceError,
  type DeviceState,
} from '../../src/base/ports/device.ts';
import { whyAbsent } from './absence.ts';

export interface ReconnectionOptions {
  readonly clock: Clock;
  /** Pause between two attempts to open the path. */
  readonly reconnectMs: number;
  /** For the log: why the path can't be opened, or vanished. Not called again while the reason stays the same. */
  readonly onFault?: AbsenceListener | undefined;
}

/** The state of a path. It is opened again whenever it is lost, until it is closed. */
export class Reconnection {
  readonly #path: string;
  readonly #options: ReconnectionOptions;
  /** Never rejects: it reports a failure by `handleLoss`. */
  readonly #open: () => Promise<void>;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  #state: DeviceState = 'connecting';
  #opening: Promise<void> = Promise.resolve();
  #timer: unknown;
  #fault = '';
  #closed = false;

  constructor(path: string, options: ReconnectionOptions, open: () => Promise<void>) {
    this.#path = path;
    this.#options = options;
    this.#open = open;
  }

  get state(): DeviceState {
    return this.#state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the first attempt. Called once. */
  start(): void {
    this.#opening = this.#open();
  }

  /** The path is open. Has no effect while it is being closed. */
  handleOpening(): void {
    if (this.#closed) return;
    this.#fault = '';
    this.#become('ready');
  }

  /** The path vanished or could not be opened: another attempt follows. */
  handleLoss(reason: string, why: DeviceAbsence = whyAbsent(reason)): void {
    // Of an unplugged device it is enough to be told once, whether it vanished or was not found.
    const fault = why === 'failed' ? reason : why;
    if (!this.#closed && fault !== this.#fault) {
      this.#fault = fault;
      this.#options.onFault?.(new DeviceError('absent', `${this.#path}: ${reason}`), why);
    }
    this.#become('absent');
    if (this.#closed) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = this.#options.clock.setTimeout(() => this.start(), this.#options.reconnectMs);
  }

  /** Makes no more attempts. `closePath` runs once the current attempt has ended. */
  async close(closePath: () => Promise<void>): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#opening;
    await closePath();
    this.#become('absent');
    this.#listeners.clear();
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
