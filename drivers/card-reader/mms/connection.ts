import type { Clock } from '../../../src/ports/clock.ts';
import { DeviceError, type DeviceState } from '../../../src/ports/device.ts';
import type { ReportTransport } from '../../transport/reports.ts';
import { cancel, endPin, notification } from './commands.ts';
import { Exchange, type Nothing, type Notification, type Response, type WaitLimits } from './exchange.ts';
import type { Command } from './message.ts';
import { isDone, isStarted, refusal } from './status.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  /** The answer to a command. */
  readonly replyTimeoutMs: number;
  /** From 1008 until the reader has nothing under way: it may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs: number;
  /** Between two attempts to cancel what can't be cancelled at this moment. */
  readonly cancelAgainMs: number;
  /** Half a message is given up this long after its last report. */
  readonly messageGapMs: number;
  /** The reader is asked this often while idle, so that a dead one is noticed before a customer stands in front of it. */
  readonly heartbeatMs: number;
  /** Between two attempts to reach a reader that does not answer. */
  readonly retryMs: number;
}

/** One lost answer is no dead reader. */
const heartbeatAttempts = 2;

/** Finds the reader on its path, watches it while idle, and lets one thing at a time use it. */
export class Connection {
  readonly name: string;
  /** The device's own, as the card data that it sent last has it: what 1004 must repeat. */
  serial: Uint8Array = new Uint8Array();
  readonly #reports: ReportTransport;
  readonly #options: ConnectionOptions;
  readonly #exchange: Exchange;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  readonly #unsubscribe: () => void;
  readonly #closing = new AbortController();
  #state: DeviceState;
  /** Counts connections and attempts to talk: what belongs to an older one is not acted on any more. */
  #attempt = 0;
  /** The heartbeat while ready, the next attempt while not. */
  #timer: unknown;
  #held = false;
  /** The work that must end before the next may use the reader. */
  #tail: Promise<void> = Promise.resolve();

  constructor(reports: ReportTransport, options: ConnectionOptions) {
    this.name = `mms at ${reports.path}`;
    this.#reports = reports;
    this.#options = options;
    this.#exchange = new Exchange(reports, options.clock, options.messageGapMs);
    this.#state = reports.state === 'ready' ? 'connecting' : reports.state;
    this.#unsubscribe = reports.onState((state) => this.#pathChanged(state));
    if (reports.state === 'ready') this.#establish();
  }

  get state(): DeviceState {
    return this.#state;
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
      this.#exchange.close();
      await this.#reports.close();
    });
    this.#become('absent');
    this.#listeners.clear();
  }

  /** No heartbeat until `release`: the question is a cancellation. */
  hold(): void {
    this.#held = true;
    if (this.#state === 'ready') this.#after(undefined);
  }

  release(): void {
    this.#held = false;
    if (this.#state === 'ready') this.#scheduleHeartbeat();
  }

  /** One after another. The next waits also when this one fails. What the reader says between two of them is of no interest. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    try {
      return await work();
    } finally {
      this.#exchange.forget();
      resolve();
    }
  }

  /** Only inside `exclusively`, as all below. Never rejects. */
  request(command: Command, signal?: AbortSignal): Promise<Response | Nothing> {
    return this.#exchange.request(command, { timeoutMs: this.#options.replyTimeoutMs, ...(signal && { signal }) });
  }

  /** Rejects with what `hear` throws. */
  listen<Heard>(limits: WaitLimits, hear: (notification: Notification) => Heard | undefined) {
    return this.#exchange.listen(limits, hear);
  }

  /**
   * 1008 until the reader says that nothing is under way any more. Throws DeviceError when that can't be had, and starts over
   * with the reader.
   */
  disarm(): Promise<void> {
    return this.#end(cancel);
  }

  /** The same of a PIN entry, which has a command of its own for that. */
  endPin(): Promise<void> {
    return this.#end(endPin);
  }

  async #end(command: Command): Promise<void> {
    const ended = await this.#cancel(command);
    if (ended === 'idle') return;
    this.startOver();
    switch (ended) {
      case 'vanished':
        throw new DeviceError('vanished', `${this.name} went while it was being cancelled`);
      case 'refused':
        throw new DeviceError('refused', `${this.name} could not be cancelled`);
      case 'aborted':
      case 'garbled':
      case 'silent':
        throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
      default:
        return ended satisfies never;
    }
  }

  /** Takes the reader for unknown and begins anew, if there is still a path to it. */
  startOver(): void {
    if (this.#reports.state === 'ready' && !this.#closing.signal.aborted) this.#begin();
  }

  async #cancel(command: Command, signal?: AbortSignal): Promise<'idle' | 'refused' | Nothing['kind']> {
    const { cancelTimeoutMs, cancelAgainMs } = this.#options;
    // The remains of a card's data may come before the answer.
    const limits = { ignoreGarble: true, ...(signal && { signal }) };
    for (let leftMs = cancelTimeoutMs; leftMs > 0; leftMs -= cancelAgainMs) {
      const reply = await this.#exchange.request(command, { ...limits, timeoutMs: leftMs });
      if (reply.kind !== 'response') return reply.kind;
      if (isDone(reply.summary) || reply.detail === refusal.noTransaction) return 'idle';
      if (!isStarted(reply.summary) && reply.detail !== refusal.cannotCancel) return 'refused';
      // It ends by itself, or can be cancelled a moment later.
      const end = await this.#exchange.listen({ ...limits, timeoutMs: cancelAgainMs }, ({ id }) =>
        id === notification.transactionOver || id === notification.pin ? true : undefined,
      );
      if (end.kind === 'heard') return 'idle';
      if (end.kind !== 'silent') return end.kind;
    }
    return 'silent';
  }

  #begin(): void {
    this.#become('connecting');
    this.#establish();
  }

  #pathChanged(state: DeviceState): void {
    this.#attempt++;
    this.#after(undefined);
    if (state === 'ready') this.#begin();
    else this.#become(state);
  }

  /**
   * Finds out whether a reader is there; tries again until it is, or the path goes. An earlier run, or an unplugged cable, may
   * have left it armed: the question is a cancellation, and an idle reader answers it too (p.101).
   */
  #establish(): void {
    this.#after(undefined);
    const attempt = ++this.#attempt;
    void this.exclusively(async () => {
      const superseded = () => attempt !== this.#attempt || this.#closing.signal.aborted;
      if (superseded()) return;
      const prepared = (await this.#cancel(cancel, this.#closing.signal)) === 'idle';
      if (superseded()) return;
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
      const superseded = () => attempt !== this.#attempt || this.#state !== 'ready' || this.#closing.signal.aborted;
      for (let left = heartbeatAttempts; left > 0 && !superseded(); left--) {
        const reply = await this.request(cancel, this.#closing.signal);
        if (reply.kind !== 'response') continue;
        if (!superseded()) this.#scheduleHeartbeat();
        return;
      }
      if (!superseded()) this.startOver();
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
