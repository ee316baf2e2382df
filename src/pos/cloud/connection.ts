import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { CloudLink, CloudMessage, SubscribeOptions } from '../../payment/contracts/cloud-link.ts';
import { lacksOf } from './broker-limits.ts';
import { MessageRate, type Rate } from './message-rate.ts';
import { PacketLimit, type TooLongListener } from './packet-limit.ts';
import type { BrokerLimits, Dial, Session } from './session.ts';

export interface ConnectionOptions {
  readonly dial: Dial;
  /** The prefix of the terminal's own topics: poid/v1/T-1. */
  readonly root: string;
  readonly clock: MonotonicClock;
  readonly random: Random;
  /** Called at each change. `reason`: why there is no connection. */
  readonly onState?: (state: LinkState, reason?: string) => void;
  readonly onTooLong?: TooLongListener;
  /** Called with a sentence for each feature that the broker does not support, once until it changes. */
  readonly onLack?: (sentence: string) => void;
  readonly waits?: Waits;
  readonly rate?: Rate;
}

export type LinkState = 'connected' | 'disconnected';

/** Milliseconds between two attempts: a random part of `firstMs`, of twice as much, … of `mostMs`. */
export interface Waits {
  readonly firstMs: number;
  readonly mostMs: number;
}

interface Subscription {
  readonly hear: (message: CloudMessage) => void;
  readonly options: SubscribeOptions;
}

/** Terminals of a fleet reconnect over half a minute, not at the same moment. */
const usualWaits: Waits = { firstMs: 5_000, mostMs: 60_000 };
const usualRate: Rate = { perSecond: 50, burst: 100 };
/** A connection that lasted this long resets the pause. */
const steadyMs = 60_000;
/** Time-out of the broker's confirmation of a subscription. */
const confirmMs = 15_000;
/** Time-out of an orderly end of a connection. */
const endMs = 2_000;

/** Keeps a connection to the broker, and connects again after a random time when it breaks. Nothing is queued. */
export class CloudConnection implements CloudLink {
  readonly #options: ConnectionOptions;
  readonly #rate: MessageRate;
  readonly #limit: PacketLimit;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #watchers = new Set<(isUp: boolean) => void>();
  #session: Session | undefined;
  readonly #closing = new AbortController();
  #attempt: Promise<void> | undefined;
  #attempts = 0;
  #timer: unknown;
  #reported: string | undefined;
  #limits: BrokerLimits = {};
  #reportedLacks = '';

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#rate = new MessageRate(options.rate ?? usualRate, options.clock);
    this.#limit = new PacketLimit(options.root, options.onTooLong);
  }

  get state(): LinkState {
    return this.#session ? 'connected' : 'disconnected';
  }

  /** Begins to connect, and does not wait for it. */
  open(): void {
    this.#attempt = this.#connect();
  }

  /** Ends the connection, in order if the broker cooperates. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the terminal ends'));
    this.#options.clock.clearTimeout(this.#timer);
    const session = this.#session;
    this.#session = undefined;
    await Promise.all([session && this.#end(session), this.#attempt]);
  }

  /** Replaces the connection, and with it the state that a failure may have left inconsistent. */
  restart(): void {
    this.#session?.cut();
  }

  async #end(session: Session): Promise<void> {
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => session.cut(), endMs);
    await session.end();
    clock.clearTimeout(timer);
  }

  async publish(topic: string, message: CloudMessage): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('there is no connection to the broker');
    this.#limit.check(topic, message);
    await session.publish(`${this.#options.root}/${topic}`, message);
  }

  fits(topic: string, message: CloudMessage): boolean {
    return this.#limit.fits(topic, message);
  }

  /** Topics that had a message on this connection which was longer than the broker accepts. */
  get tooLong(): readonly string[] {
    return this.#limit.keptBack;
  }

  /** Features that the broker does not support: `qos1`, `retain`. */
  get unsupported(): readonly ('qos1' | 'retain')[] {
    if (!this.#session) return [];
    const { hasNoQos1 = false, hasNoRetain = false } = this.#limits;
    return [...(hasNoQos1 ? (['qos1'] as const) : []), ...(hasNoRetain ? (['retain'] as const) : [])];
  }

  subscribe(topic: string, hear: (message: CloudMessage) => void, options: SubscribeOptions = {}): () => void {
    if (this.#subscriptions.has(topic)) throw new RangeError(`${topic} has a subscriber`);
    this.#subscriptions.set(topic, { hear, options });
    const session = this.#session;
    if (session)
      this.#confirmed(session, [[topic, { hear, options }]]).catch((error: unknown) => {
        this.#reportFault(error);
        // A connection without its subscriptions is not usable: the next one subscribes again.
        session.cut();
      });
    return () => {
      this.#subscriptions.delete(topic);
      this.#session?.unsubscribe(`${this.#options.root}/${topic}`);
    };
  }

  watch(notify: (isUp: boolean) => void): () => void {
    const watcher = (isUp: boolean) => notify(isUp);
    this.#watchers.add(watcher);
    notify(this.#session !== undefined);
    return () => this.#watchers.delete(watcher);
  }

  async #connect(): Promise<void> {
    const { dial, clock } = this.#options;
    let session: Session | undefined;
    let ended: string | undefined;
    let upMs = clock.elapsedMs();
    const onEnd = (reason = 'the connection broke') => {
      ended = reason;
      // Until then it is not in use, and the failed attempt below connects again.
      if (this.#session !== session || !session) return;
      this.#session = undefined;
      if (clock.elapsedMs() - upMs > steadyMs) this.#attempts = 0;
      this.#notify(false);
      this.#lost(reason);
    };
    try {
      const onMessage = (topic: string, message: CloudMessage) => this.#hear(topic, message);
      session = await dial({ onMessage, onEnd }, this.#closing.signal);
      this.#limits = session.limits ?? {};
      await this.#confirmed(session, this.#subscriptions);
      this.#closing.signal.throwIfAborted();
    } catch (error) {
      // The broker's behaviour is reported instead of the failure that follows from it.
      const reason = ended ?? sentenceOf(error);
      if (session) await this.#end(session);
      this.#lost(reason);
      return;
    }
    if (ended !== undefined) {
      this.#lost(ended);
      return;
    }
    upMs = clock.elapsedMs();
    this.#session = session;
    this.#limit.begin(this.#limits.packetBytesMax);
    this.#reported = undefined;
    this.#options.onState?.('connected');
    this.#reportLacks();
    this.#notify(true);
  }

  /** Resolves when the broker has confirmed these; rejects if it refuses, takes too long, or the terminal ends. */
  async #confirmed(session: Session, all: Iterable<readonly [string, Subscription]>): Promise<void> {
    const { root, clock } = this.#options;
    const { signal } = this.#closing;
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
    given.catch(() => undefined);
    const timer = clock.setTimeout(() => giveUp(new Error('the broker does not confirm the subscriptions')), confirmMs);
    const end = () => giveUp(signal.reason);
    signal.addEventListener('abort', end);
    try {
      for (const [topic, { options }] of all)
        await Promise.race([session.subscribe(`${root}/${topic}`, options), given]);
    } finally {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  /** Connects again later. */
  #lost(reason: string): void {
    if (this.#closing.signal.aborted) return;
    this.#reportFault(reason);
    const { clock, random, waits: { firstMs, mostMs } = usualWaits } = this.#options;
    const most = Math.min(mostMs, firstMs * 2 ** Math.min(this.#attempts++, 16));
    const [high = 0, low = 0] = random.bytes(2);
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.open(), (most * (high * 256 + low)) / 65_536);
  }

  /** Reports a reason once, until there is another one or a connection. */
  #reportFault(error: unknown): void {
    const reason = sentenceOf(error);
    if (reason === this.#reported) return;
    this.#reported = reason;
    this.#options.onState?.(this.state, reason);
  }

  #reportLacks(): void {
    const lacks = lacksOf(this.#limits);
    if (lacks.join() === this.#reportedLacks) return;
    this.#reportedLacks = lacks.join();
    for (const each of lacks) this.#options.onLack?.(each);
  }

  #notify(isUp: boolean): void {
    for (const notify of this.#watchers) notify(isUp);
  }

  async #hear(topic: string, message: CloudMessage): Promise<void> {
    const start = `${this.#options.root}/`;
    const heard = topic.startsWith(start) ? this.#subscriptions.get(topic.slice(start.length)) : undefined;
    // A broker without QoS 1 brings nothing else.
    if (heard?.options.acknowledgedOnly && (message.qos ?? 0) === 0 && !this.#limits.hasNoQos1) return;
    if (heard && !(heard.options.skipsRetained && message.retain)) heard.hear(message);
    await this.#rate.next();
  }
}

function sentenceOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'the connection failed';
}
