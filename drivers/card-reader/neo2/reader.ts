import type { CardReader, CollectOutcome, CollectRequest } from '../../../src/ports/card-reader.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../../src/ports/device.ts';
import type { Transport } from '../../transport/transport.ts';
import * as commands from './commands.ts';
import { Exchange, type Reply } from './exchange.ts';
import { collectOutcome, status } from './response.ts';

export interface Neo2Options {
  readonly clock: Clock;
  /** Ping, version, poll mode. */
  readonly replyTimeoutMs?: number;
  /** The answer to 05-01: the reader may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs?: number;
  /** How much longer than the reader itself this side waits for a card. */
  readonly answerMarginMs?: number;
  /** Half a frame is given up this long after its last byte. */
  readonly frameGapMs?: number;
  /** A ping this often while idle, so that a dead reader is noticed before a customer stands in front of it. */
  readonly heartbeatMs?: number;
  /** Between two attempts to reach a reader that does not answer. */
  readonly retryMs?: number;
}

/** Chosen, not published: no document gives a reader's slowest answer. Unverified on hardware. */
const defaults = {
  replyTimeoutMs: 2_000,
  cancelTimeoutMs: 3_000,
  answerMarginMs: 3_000,
  frameGapMs: 500,
  heartbeatMs: 30_000,
  retryMs: 2_000,
} as const;

/** One lost answer on a noisy line is no dead reader. */
const heartbeatAttempts = 2;

export interface Neo2Reader extends CardReader {
  /** What the reader says of its firmware, once it was asked. */
  readonly firmware: string | undefined;
}

/** An ID TECH NEO2 reader on a transport, which it owns from now on. Contactless only. Unverified on hardware. */
export function neo2Reader(transport: Transport, options: Neo2Options): Neo2Reader {
  return new Reader(transport, options);
}

class Reader implements Neo2Reader {
  readonly name: string;
  readonly #transport: Transport;
  readonly #options: Required<Neo2Options>;
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
  /** The work that must end before the next may use the line. */
  #tail: Promise<void> = Promise.resolve();
  #collecting: AbortController | undefined;

  constructor(transport: Transport, options: Neo2Options) {
    this.name = `neo2 at ${transport.path}`;
    this.#transport = transport;
    this.#options = { ...defaults, ...options };
    this.#exchange = new Exchange(transport, this.#options.clock, this.#options.frameGapMs);
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

  async collect(request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    if (this.#state !== 'ready') throw new DeviceError('absent', `${this.name} is ${this.#state}`);
    if (this.#collecting) throw new DeviceError('refused', `${this.name} is collecting already`);
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#collecting = stop;
    this.#after(undefined);
    try {
      return await this.#exclusively(() => this.#collectCard(request, stop.signal));
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#collecting = undefined;
      if (this.#state === 'ready') this.#after(this.#options.heartbeatMs, () => this.#heartbeat());
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#tail;
    this.#closing.abort();
    this.#collecting?.abort();
    this.#unsubscribe();
    this.#after(undefined);
    // An armed reader is disarmed first: it would go on reading cards for nobody.
    const closed = this.#exclusively(async () => {
      this.#exchange.close();
      await this.#transport.close();
    });
    await closed;
    this.#become('absent');
    this.#listeners.clear();
  }

  async #collectCard(request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome> {
    // Both may have changed while a heartbeat had the line.
    if (signal.aborted) return { kind: 'cancelled' };
    if (this.#state !== 'ready') throw new DeviceError('vanished', `${this.name} went before it was armed`);
    const reply = await this.#exchange.run(commands.activate(request), commands.command.activate, {
      timeoutMs: commands.activateSeconds(request.timeoutMs) * 1_000 + this.#options.answerMarginMs,
      signal,
    });
    switch (reply.kind) {
      case 'answer':
        try {
          // The abort came between the answer and here: still after it, no card is handed out.
          if (signal.aborted) return { kind: 'cancelled' };
          return collectOutcome(reply.status, reply.data, commands.transactionData(request));
        } finally {
          reply.data.fill(0);
        }
      case 'aborted':
        await this.#disarm();
        return { kind: 'cancelled' };
      case 'garbled':
        await this.#disarm();
        return signal.aborted ? { kind: 'cancelled' } : { kind: 'tryAgain', reason: 'read-error' };
      case 'silent':
        await this.#disarm();
        throw new DeviceError('timeout', `${this.name} gave no answer to 02-40`);
      case 'vanished':
        throw new DeviceError('vanished', `${this.name} went while it was armed`);
      default:
        return reply satisfies never;
    }
  }

  /**
   * 05-01 once, and nothing else until it is answered (IDG p.242). Whatever the reader says, it has read a command and
   * is not armed any more ("other commands … count as a cancel", VP3350 user manual 7.1), unless what it says is that
   * the command was damaged. Throws DeviceError when that can't be had, and starts over with the reader.
   */
  async #disarm(): Promise<void> {
    const reply = await this.#exchange.run(commands.cancel(), commands.command.cancel, {
      timeoutMs: this.#options.cancelTimeoutMs,
      // The remains of a card's answer may come before the reader's own.
      ignoreGarble: true,
    });
    if (reply.kind === 'answer' && reply.status !== status.crcError && reply.status !== status.badHeader) return;
    if (this.#transport.state === 'ready') this.#startOver();
    if (reply.kind === 'vanished') throw new DeviceError('vanished', `${this.name} went while it was being cancelled`);
    if (reply.kind === 'answer') throw new DeviceError('refused', `${this.name} could not read the cancellation`);
    throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
  }

  #transportChanged(state: DeviceState): void {
    this.#attempt++;
    this.#after(undefined);
    if (state === 'ready') this.#startOver();
    else this.#become(state);
  }

  #startOver(): void {
    this.#become('connecting');
    this.#establish();
  }

  /** Finds out whether a reader is there and prepares it; tries again until it is, or the path goes. */
  #establish(): void {
    this.#after(undefined);
    const attempt = ++this.#attempt;
    void this.#exclusively(async () => {
      const superseded = () => attempt !== this.#attempt || this.#closing.signal.aborted;
      if (superseded()) return;
      const prepared = await this.#prepare();
      if (superseded()) return;
      this.#become(prepared ? 'ready' : 'absent');
      if (prepared) this.#after(this.#options.heartbeatMs, () => this.#heartbeat());
      else this.#after(this.#options.retryMs, () => this.#establish());
    });
  }

  async #prepare(): Promise<boolean> {
    const { replyTimeoutMs, cancelTimeoutMs } = this.#options;
    // An earlier run, or an unplugged cable, may have left it armed, and to an armed reader only 05-01 may be sent.
    // Its answer does not matter: nothing says what an idle reader answers. Unverified on hardware.
    const cancelled = await this.#exchange.run(commands.cancel(), commands.command.cancel, {
      timeoutMs: cancelTimeoutMs,
      signal: this.#closing.signal,
      ignoreGarble: true,
    });
    if (cancelled.kind === 'vanished' || cancelled.kind === 'aborted') return false;
    if (!isOk(await this.#ask(commands.ping(), commands.command.ping, replyTimeoutMs))) return false;
    const version = await this.#ask(commands.version(), commands.command.version, replyTimeoutMs);
    if (version.kind !== 'answer') return false;
    this.#firmware = isOk(version) ? printable(version.data) : undefined;
    return isOk(await this.#ask(commands.pollOnDemand(), commands.command.pollMode, replyTimeoutMs));
  }

  #heartbeat(): void {
    const attempt = this.#attempt;
    void this.#exclusively(async () => {
      const superseded = () => attempt !== this.#attempt || this.#state !== 'ready' || this.#closing.signal.aborted;
      for (let left = heartbeatAttempts; left > 0 && !superseded(); left--) {
        if (!isOk(await this.#ask(commands.ping(), commands.command.ping, this.#options.replyTimeoutMs))) continue;
        if (!superseded()) this.#after(this.#options.heartbeatMs, () => this.#heartbeat());
        return;
      }
      if (!superseded()) this.#startOver();
    });
  }

  #ask(frame: Uint8Array, command: number, timeoutMs: number): Promise<Reply> {
    return this.#exchange.run(frame, command, { timeoutMs, signal: this.#closing.signal });
  }

  /** One after another on the line. The next waits also when this one fails. */
  async #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
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

function isOk(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === status.ok;
}

/** Version text of IDG p.131, at most 64 characters of it; some readers end it with a zero byte. */
function printable(data: Uint8Array): string | undefined {
  const text = Buffer.from(data.subarray(0, 64)).toString('latin1').replace(/\0+$/, '');
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}
