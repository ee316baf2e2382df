import type { Clock } from '../../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../../src/ports/device.ts';
import type { Transport } from '../../transport/transport.ts';
import * as commands from './commands.ts';
import { Exchange, type ExchangeLimits, type Reply } from './exchange.ts';
import { status } from './status.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Ping, version, poll mode, and the first of two answers. */
  readonly replyTimeoutMs: number;
  /** The answer to 05-01 and 62-00: the reader may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs: number;
  /** Half a frame is given up this long after its last byte. */
  readonly frameGapMs: number;
  /** A ping this often while idle, so that a dead reader is noticed before a customer stands in front of it. */
  readonly heartbeatMs: number;
  /** Between two attempts to reach a reader that does not answer. */
  readonly retryMs: number;
}

/** One lost answer on a noisy line is no dead reader. */
const heartbeatAttempts = 2;

/** Finds the reader on its path, prepares it, watches it while idle, and lets one thing at a time use the line. */
export class Connection {
  readonly name: string;
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #exchange: Exchange;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  readonly #unsubscribe: () => void;
  readonly #closing = new AbortController();
  #state: DeviceState;
  #firmware: string | undefined;
  /** Counts connections and attempts to talk: what belongs to an older one is not acted on any more. */
  #attempt = 0;
  /** The heartbeat while ready, the next attempt while not. */
  #timer: unknown;
  #held = false;
  /** The work that must end before the next may use the line. */
  #tail: Promise<void> = Promise.resolve();

  constructor(transport: Transport, options: ConnectionOptions) {
    this.name = `neo2 at ${transport.path}`;
    this.#transport = transport;
    this.#options = options;
    this.#exchange = new Exchange(transport, options.clock, options.frameGapMs);
    this.#state = transport.state === 'ready' ? 'connecting' : transport.state;
    this.#unsubscribe = transport.onState((state) => this.#transportChanged(state));
    if (transport.state === 'ready') this.#establish();
  }

  get state(): DeviceState {
    return this.#state;
  }

  get firmware(): string | undefined {
    return this.#firmware;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes the line once what uses it, or waits for it, has ended. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#tail;
    this.#closing.abort();
    this.#unsubscribe();
    this.#after(undefined);
    await this.exclusively(async () => {
      this.#exchange.close();
      await this.#transport.close();
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

  /** One after another on the line. The next waits also when this one fails. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  /** Only inside `exclusively`. Never rejects. */
  run(frame: Uint8Array, command: number, limits: ExchangeLimits): Promise<Reply> {
    return this.#exchange.run(frame, command, limits);
  }

  /**
   * 05-01 once, and nothing else until it is answered (IDG p.242). Whatever the reader says, it has read a command and
   * is not armed any more ("other commands … count as a cancel", VP3350 user manual 7.1), unless what it says is that
   * the command was damaged. Throws DeviceError when that can't be had, and starts over with the reader.
   */
  disarm(): Promise<void> {
    return this.confirmed(commands.cancel(), commands.command.cancel);
  }

  /** Sends what ends the reader's work and waits until it says so. Throws as `disarm` does. */
  async confirmed(
    frame: Uint8Array,
    command: number,
    acknowledgement?: ExchangeLimits['acknowledgement'],
  ): Promise<void> {
    const reply = await this.run(frame, command, {
      timeoutMs: this.#options.cancelTimeoutMs,
      // The remains of a card's answer may come before the reader's own.
      ignoreGarble: true,
      ...(acknowledgement && { acknowledgement }),
    });
    if (reply.kind === 'answer') {
      reply.data.fill(0);
      if (!wasDamaged(reply.status)) return;
    }
    this.startOver();
    if (reply.kind === 'vanished') throw new DeviceError('vanished', `${this.name} went while it was being cancelled`);
    if (reply.kind === 'answer') throw new DeviceError('refused', `${this.name} could not read the cancellation`);
    throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
  }

  /**
   * A reader answers in order: once it has answered a ping, nothing that it was sent before will be answered any more.
   * Starts over with a reader that does not answer.
   */
  async flush(): Promise<void> {
    if (!isOk(await this.#ping())) this.startOver();
  }

  /** Takes the reader for unknown and prepares it anew, if there is still a path to it. */
  startOver(): void {
    if (this.#transport.state === 'ready' && !this.#closing.signal.aborted) this.#begin();
  }

  #begin(): void {
    this.#become('connecting');
    this.#establish();
  }

  #transportChanged(state: DeviceState): void {
    this.#attempt++;
    this.#after(undefined);
    if (state === 'ready') this.#begin();
    else this.#become(state);
  }

  /** Finds out whether a reader is there and prepares it; tries again until it is, or the path goes. */
  #establish(): void {
    this.#after(undefined);
    const attempt = ++this.#attempt;
    void this.exclusively(async () => {
      const superseded = () => attempt !== this.#attempt || this.#closing.signal.aborted;
      if (superseded()) return;
      const prepared = await this.#prepare();
      if (superseded()) return;
      this.#become(prepared ? 'ready' : 'absent');
      if (prepared) this.#scheduleHeartbeat();
      else this.#after(this.#options.retryMs, () => this.#establish());
    });
  }

  async #prepare(): Promise<boolean> {
    const { cancelTimeoutMs } = this.#options;
    // An earlier run, or an unplugged cable, may have left it armed, and to an armed reader only 05-01 may be sent.
    // Its answer does not matter: nothing says what an idle reader answers. Unverified on hardware.
    const limits = { timeoutMs: cancelTimeoutMs, signal: this.#closing.signal, ignoreGarble: true };
    const cancelled = await this.run(commands.cancel(), commands.command.cancel, limits);
    if (cancelled.kind === 'vanished' || cancelled.kind === 'aborted') return false;
    if (cancelled.kind === 'answer' && cancelled.status === status.notAllowed) {
      // Or asking for a PIN: then 62-00 is the only command that it takes (fixtures/README.md).
      await this.run(commands.cancelPin(), commands.command.pin, limits);
    }
    if (!isOk(await this.#ping())) return false;
    const version = await this.#ask(commands.version(), commands.command.version);
    if (version.kind !== 'answer') return false;
    this.#firmware = isOk(version) ? printable(version.data) : undefined;
    return isOk(await this.#ask(commands.pollOnDemand(), commands.command.pollMode));
  }

  #scheduleHeartbeat(): void {
    if (!this.#held) this.#after(this.#options.heartbeatMs, () => this.#heartbeat());
  }

  #heartbeat(): void {
    const attempt = this.#attempt;
    void this.exclusively(async () => {
      const superseded = () => attempt !== this.#attempt || this.#state !== 'ready' || this.#closing.signal.aborted;
      for (let left = heartbeatAttempts; left > 0 && !superseded(); left--) {
        if (!isOk(await this.#ping())) continue;
        if (!superseded()) this.#scheduleHeartbeat();
        return;
      }
      if (!superseded()) this.startOver();
    });
  }

  #ping(): Promise<Reply> {
    return this.#ask(commands.ping(), commands.command.ping);
  }

  #ask(frame: Uint8Array, command: number): Promise<Reply> {
    return this.run(frame, command, { timeoutMs: this.#options.replyTimeoutMs, signal: this.#closing.signal });
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

/** The reader says that it could not read the command: it has not done what it says. */
export function wasDamaged(code: number): boolean {
  return code === status.crcError || code === status.badHeader;
}

function isOk(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === status.ok;
}

/** Version text of IDG p.131, at most 64 characters of it; some readers end it with a zero byte. */
function printable(data: Uint8Array): string | undefined {
  const text = Buffer.from(data.subarray(0, 64)).toString('latin1').replace(/\0+$/, '');
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}
