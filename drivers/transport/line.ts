import { systemClock, type Clock } from '../../src/base/ports/clock.ts';
import {
  DeviceError,
  type DeviceState,
  type AbsenceListener,
  type DeviceAbsence,
} from '../../src/base/ports/device.ts';
import { AbsenceError, whyAbsent } from './absence.ts';
import type { Transport } from './transport.ts';

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
    // An unplugged device is reported once, whether it vanished or was not found.
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

export interface LineOptions extends Partial<ReconnectionOptions> {
  /** As configured: /dev/ttyACM0, or a stable link to it. The driver never searches for other devices. */
  readonly path: string;
  /** For one write, in addition to the time that its bytes and those queued before it take on the wire. */
  readonly writeTimeoutMs?: number;
}

/** Reports of an opened device to its line. */
export interface ChannelEnds {
  /** The chunk is a copy: the listener may keep it. */
  readonly onData: (chunk: Uint8Array) => void;
  /** Called once, when the device has hung up or its descriptor has failed. Not called at `close`. */
  readonly onEnd: (reason: string) => void;
}

/** An opened device. */
export interface Channel {
  /** True if the device has no way back: nothing can be read from it. */
  readonly oneWay: boolean;
  /** Returns true if all bytes are taken at once. Otherwise calls `taken` when they are. It copies what it keeps. */
  write(bytes: Uint8Array, taken: () => void): boolean;
  /**
   * Stops all reading and writing at once. Resolves when the device's driver has finished, and never rejects. `stuck`:
   * the device takes no bytes, so those that wait are discarded.
   */
  close(stuck: boolean): Promise<void>;
}

/** How a path is opened, and how long bytes take on its wire. */
export interface Wire {
  /** Rejects with an error whose message says why. */
  open(ends: ChannelEnds): Promise<Channel>;
  wireMs(bytes: number): number;
}

const defaults: { readonly clock: Clock; readonly reconnectMs: number; readonly writeTimeoutMs: number } = {
  clock: systemClock,
  reconnectMs: 1_000,
  writeTimeoutMs: 5_000,
};

/** About ten receipts as pictures. A longer queue means that the device takes no bytes. */
const queuedBytesMax = 1024 * 1024;

/**
 * Bytes to and from a path. It opens the path, and tries again whenever the device is absent or has vanished, until it
 * is closed. Never throws and never has an unhandled rejection.
 */
export class Line implements Transport {
  readonly path: string;
  readonly #options: LineOptions & typeof defaults;
  readonly #wire: Wire;
  readonly #reconnection: Reconnection;
  readonly #dataListeners = new Set<(chunk: Uint8Array) => void>();
  readonly #writes: PendingWrites;
  #channel: Channel | undefined;
  /** Settles when the channel that was used last is closed. */
  #closing: Promise<void> = Promise.resolve();

  constructor(options: LineOptions, wire: Wire) {
    this.path = options.path;
    this.#options = { ...defaults, ...options };
    this.#wire = wire;
    this.#writes = new PendingWrites(this.path, this.#options.clock);
    this.#reconnection = new Reconnection(this.path, this.#options, () => this.#connect());
    this.#reconnection.start();
  }

  get state(): DeviceState {
    return this.#reconnection.state;
  }

  get oneWay(): boolean {
    return this.#channel?.oneWay ?? false;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#reconnection.onState(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#dataListeners.add(listener);
    return () => this.#dataListeners.delete(listener);
  }

  /** Rejects with DeviceError 'absent', 'vanished', or 'refused' when the queue is full. */
  async write(bytes: Uint8Array): Promise<void> {
    const channel = this.#channel;
    if (!channel) throw new DeviceError('absent', `nothing at ${this.path}`);
    const queuedBytes = this.#writes.bytes + bytes.length;
    if (queuedBytes > queuedBytesMax) throw new DeviceError('refused', `the queue for ${this.path} is full`);
    let taken = () => {};
    if (channel.write(bytes, () => taken())) return;
    if (this.#channel !== channel) throw this.#writes.vanishedError();
    await this.#writes.add(
      bytes.length,
      this.#options.writeTimeoutMs + Math.ceil(this.#wire.wireMs(queuedBytes)),
      () => this.#drop(channel, 'the device takes no more bytes', true),
      (finish) => {
        taken = finish;
      },
    );
  }

  async close(): Promise<void> {
    await this.#reconnection.close(async () => {
      if (this.#channel) this.#drop(this.#channel, 'closed', false);
      await this.#closing;
    });
    this.#dataListeners.clear();
  }

  async #connect(): Promise<void> {
    let channel: Channel;
    try {
      channel = await this.#wire.open({
        onData: (chunk) => {
          for (const listener of this.#dataListeners) listener(chunk);
        },
        onEnd: (reason) => this.#drop(channel, reason, false),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it can’t be opened';
      this.#reconnection.handleLoss(reason, error instanceof AbsenceError ? error.why : whyAbsent(reason));
      return;
    }
    this.#channel = channel;
    this.#reconnection.handleOpening();
  }

  /** Closes the channel and stops using it at once. Only `close` waits until its driver has finished. */
  #drop(channel: Channel, reason: string, stuck: boolean): void {
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    this.#closing = channel.close(stuck);
    this.#writes.fail();
    this.#reconnection.handleLoss(reason);
  }
}
