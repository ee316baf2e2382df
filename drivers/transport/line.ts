import { systemClock, type Clock } from '../../src/base/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../src/base/ports/device.ts';
import { AbsenceError, whyAbsent } from './absence.ts';
import { PendingWrites } from './pending-writes.ts';
import { Reconnection, type ReconnectionOptions } from './reconnection.ts';
import type { Transport } from './transport.ts';

export interface LineOptions extends Partial<ReconnectionOptions> {
  /** As configured: /dev/ttyACM0, or a stable link to it. The driver never searches for other devices. */
  readonly path: string;
  /** For one write, in addition to the time that its bytes and those queued before it take on the wire. */
  readonly writeTimeoutMs?: number;
}

/** What an opened device tells the line. */
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
