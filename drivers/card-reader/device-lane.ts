import type { Clock } from '../../src/ports/clock.ts';
import type { DeviceState } from '../../src/ports/device.ts';

export interface LaneOptions {
  readonly clock: Clock;
  /** The reader is asked this often while idle, so that a dead one is noticed before a customer stands in front of it. */
  readonly heartbeatMs: number;
  /** Between two attempts to reach a reader that does not answer. */
  readonly retryMs: number;
}

/** What of a transport the lane needs: it reconnects by itself, and 'ready' means that it can be written to. */
export interface DevicePath {
  readonly state: DeviceState;
  onState(listener: (state: DeviceState) => void): () => void;
  close(): Promise<void>;
}

/** What a lane asks of the reader at its end, while nothing else has the lane. Both questions give up at the lane's `closing`. */
export interface LaneDevice {
  /** Whether a reader is there, disarmed and prepared. */
  prepare(): Promise<boolean>;
  /** Whether an idle reader answers once. */
  answers(): Promise<boolean>;
  /** After each that had the lane: what the reader says between two of them is of no interest. */
  forget?(): void;
  /** Hears the path no more. */
  close(): void;
}

/** One lost answer on a noisy line is no dead reader. */
const heartbeatAttempts = 2;

/** Finds a reader on its path, watches it while idle, and lets one thing at a time use it. */
export class DeviceLane {
  readonly #path: DevicePath;
  readonly #device: LaneDevice;
  readonly #options: LaneOptions;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  readonly #unsubscribe: () => void;
  readonly #closing = new AbortController();
  #state: DeviceState;
  /** Counts connections and attempts to talk: what belongs to an older one is not acted on any more. */
  #attempt = 0;
  /** The heartbeat while ready, the next attempt while not. */
  #timer: unknown;
  #held = false;
  /** The work that must end before the next may use the lane. */
  #tail: Promise<void> = Promise.resolve();

  constructor(path: DevicePath, device: LaneDevice, options: LaneOptions) {
    this.#path = path;
    this.#device = device;
    this.#options = options;
    this.#state = path.state === 'ready' ? 'connecting' : path.state;
    this.#unsubscribe = path.onState((state) => this.#handlePathState(state));
    if (path.state === 'ready') this.#establish();
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** Aborted by `close`. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes the path once what uses it, or waits for it, has ended. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#tail;
    this.#closing.abort();
    this.#unsubscribe();
    this.#after(undefined);
    await this.exclusively(async () => {
      this.#device.close();
      await this.#path.close();
    });
    this.#become('absent');
    this.#listeners.clear();
  }

  /** No heartbeat until `release`: a reader at work takes no command but that which ends it. */
  hold(): void {
    this.#held = true;
    if (this.#state === 'ready') this.#after(undefined);
  }

  release(): void {
    this.#held = false;
    if (this.#state === 'ready') this.#scheduleHeartbeat();
  }

  /** One after another. The next waits also when this one fails. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    try {
      return await work();
    } finally {
      this.#device.forget?.();
      resolve();
    }
  }

  /** Takes the reader for unknown and prepares it anew, if there is still a path to it. */
  startOver(): void {
    if (this.#path.state === 'ready' && !this.#closing.signal.aborted) this.#begin();
  }

  #begin(): void {
    this.#become('connecting');
    this.#establish();
  }

  #handlePathState(state: DeviceState): void {
    this.#attempt++;
    this.#after(undefined);
    if (state === 'ready') this.#begin();
    else this.#become(state);
  }

  /** Finds out whether a reader is there; tries again until it is, or the path goes. */
  #establish(): void {
    this.#after(undefined);
    const attempt = ++this.#attempt;
    void this.exclusively(async () => {
      const isSuperseded = () => attempt !== this.#attempt || this.#closing.signal.aborted;
      if (isSuperseded()) return;
      const prepared = await this.#device.prepare();
      if (isSuperseded()) return;
      this.#become(prepared ? 'ready' : 'absent');
      if (prepared) this.#scheduleHeartbeat();
      else this.#after(this.#options.retryMs, () => this.#establish());
    });
  }

  #scheduleHeartbeat(): void {
    if (!this.#held) this.#after(this.#options.heartbeatMs, () => this.#heartbeat());
  }

  #heartbeat(): void {
    const attempt = this.#attempt;
    void this.exclusively(async () => {
      const isSuperseded = () => attempt !== this.#attempt || this.#state !== 'ready' || this.#closing.signal.aborted;
      for (let left = heartbeatAttempts; left > 0 && !isSuperseded(); left--) {
        if (!(await this.#device.answers())) continue;
        if (!isSuperseded()) this.#scheduleHeartbeat();
        return;
      }
      if (!isSuperseded()) this.startOver();
    });
  }

  #after(ms: number | undefined, run?: () => void): void {
    this.#options.clock.clearTimeout(this.#timer);
    const off = ms === undefined || !run || this.#closing.signal.aborted;
    this.#timer = off ? undefined : this.#options.clock.setTimeout(run, ms);
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
