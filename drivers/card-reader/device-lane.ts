import type { Clock } from '../../src/base/ports/clock.ts';
import type { DeviceState } from '../../src/base/ports/device.ts';
import { type Cryptogram, cryptogramKind } from '../../src/codecs/emv/cryptogram.ts';
import type { EmvData } from '../../src/base/ports/card-reader.ts';
import { protocolError } from './protocol-error.ts';

/** Tags that may be kept in the clear, because field 55 and the receipt need them. All others are dropped. */
const keptTags: ReadonlySet<string> = new Set(
  (
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F63 ' +
    '50 9F12 9B 5F34 9F39 DF52 9F6E 9F7C 4F'
  ).split(' '),
);

/** Copies of the clear objects that may be kept. Throws DeviceError 'protocol' if two of the same tag differ. */
export function keptData(
  objects: Iterable<{ readonly tag: string; readonly value: Uint8Array }>,
): Map<string, Uint8Array> {
  const emv = new Map<string, Uint8Array>();
  for (const { tag, value } of objects) {
    if (!keptTags.has(tag)) continue;
    const known = emv.get(tag);
    if (known && Buffer.compare(known, value) !== 0) throw protocolError(`two different ${tag}`);
    emv.set(tag, Uint8Array.from(value));
  }
  return emv;
}

/** The kind of the card's application cryptogram (9F27). Throws DeviceError 'protocol' if there is none. */
export function cryptogramOf(emv: EmvData): Cryptogram {
  const information = emv.get('9F27');
  if (information?.length !== 1 || emv.get('9F26')?.length !== 8) throw protocolError('no cryptogram');
  const kind = cryptogramKind(information[0] ?? 0);
  if (kind === undefined) throw protocolError('a reserved kind of cryptogram');
  return kind;
}

export interface LaneOptions {
  readonly clock: Clock;
  /** Interval of the heartbeat while idle: a dead reader is noticed before a customer uses it. */
  readonly heartbeatMs: number;
  /** Pause between two attempts to reach a reader that does not answer. */
  readonly retryMs: number;
}

/** The part of a transport that the lane needs. It reconnects by itself; 'ready' means that it can be written to. */
export interface DevicePath {
  readonly state: DeviceState;
  onState(listener: (state: DeviceState) => void): () => void;
  close(): Promise<void>;
}

/**
 * The lane's commands to its reader, sent only while nothing else uses the lane. Both end early at the lane's
 * `closing`.
 */
export interface LaneDevice {
  /** Disarms and prepares the reader. True if it is there and prepared. */
  prepare(): Promise<boolean>;
  /** Whether the idle reader answers one heartbeat. */
  answers(): Promise<boolean>;
  /** Called after each use of the lane: drops what the reader sends between two uses. */
  forget?(): void;
  /** Stops listening to the path. */
  close(): void;
}

/** One lost answer on a noisy line does not mean that the reader is dead. */
const heartbeatAttempts = 2;

/** Finds a reader on its path, watches it while idle, and gives it to one use at a time. */
export class DeviceLane {
  readonly #path: DevicePath;
  readonly #device: LaneDevice;
  readonly #options: LaneOptions;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  readonly #unsubscribe: () => void;
  readonly #closing = new AbortController();
  #state: DeviceState;
  /** Counts connections and attempts to reach the reader: a result of an older one is ignored. */
  #attempt = 0;
  /** Timer of the heartbeat while ready, of the next attempt while not. */
  #timer: unknown;
  #held = false;
  /** The use that must end before the next may begin. */
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

  /** Closes the path once the current and queued uses have ended. */
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

  /** Stops the heartbeat until `release`: a busy reader accepts only the command that ends its work. */
  hold(): void {
    this.#held = true;
    if (this.#state === 'ready') this.#after(undefined);
  }

  release(): void {
    this.#held = false;
    if (this.#state === 'ready') this.#scheduleHeartbeat();
  }

  /** Runs one use after another. A failed one does not stop the next. */
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

  /** Treats the reader as unknown and prepares it again, if its path is still ready. */
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

  /** Prepares the reader; tries again until that succeeds or the path vanishes. */
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
