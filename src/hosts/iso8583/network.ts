import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Dialect, HostMessage, NetworkMessage } from './dialect.ts';
import type { Ask, HostLink } from './link.ts';
import type { Requests } from './request.ts';

export type SignOnFault = 'signOnRefused' | 'signOnNotAnswered';

interface NetworkOptions {
  readonly dialect: Pick<Dialect, 'network' | 'codes'>;
  readonly requests: Pick<Requests, 'network'>;
  readonly clock: MonotonicClock;
  /** A host that was silent for so long is asked for an echo. */
  readonly echoMs: number;
  /** Hears how each sign-on ended; undefined: it was accepted. */
  readonly onSignOn: (fault: SignOnFault | undefined) => void;
}

/** Time limit of a sign-off: the host need not answer it. */
const signOffMs = 2_000;
const stanMax = 999_999;

/**
 * The messages about a connection (ISO 8583:1987, 0800): a sign-on before anything else, an echo while it is silent, a
 * sign-off before the terminal ends it. Each is sent only if the dialect has it.
 */
export class NetworkManagement {
  readonly #options: NetworkOptions;
  #timer: unknown;
  #stan: number;
  #isOver = false;

  constructor(options: NetworkOptions) {
    this.#options = options;
    // Other than in the process before, whose messages a host may remember. No payment has these numbers.
    this.#stan = Math.floor(options.clock.now().getTime() / 1_000) % stanMax;
  }

  /** Whether the host has any of these messages. */
  get isUsed(): boolean {
    return Object.keys(this.#options.dialect.network).length > 0;
  }

  /** Signs on. False: the connection must not be used. */
  async signOn(ask: Ask): Promise<boolean> {
    if (!this.#options.dialect.network.signOn) return true;
    const exchange = await this.#ask('signOn', ask);
    if (exchange.kind === 'answer') {
      const isAccepted = this.#options.dialect.codes.approved.includes(exchange.answer.fields[39] ?? '');
      this.#options.onSignOn(isAccepted ? undefined : 'signOnRefused');
      return isAccepted;
    }
    this.#options.onSignOn('signOnNotAnswered');
    return false;
  }

  /** Signs off, in a limited time. */
  async signOff(ask: Ask): Promise<void> {
    const { clock, dialect } = this.#options;
    if (!dialect.network.signOff) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimeout(resolve, signOffMs);
    await Promise.race([this.#ask('signOff', ask), late]);
    clock.clearTimeout(timer);
  }

  /** Keeps a connection to the host, and asks a silent one for an echo. A connection without an answer is replaced. */
  keep(link: Pick<HostLink, 'open' | 'drop' | 'silentMs' | 'exchange'>): void {
    if (!this.isUsed || this.#isOver) return;
    const { clock, echoMs, dialect } = this.#options;
    const look = async () => {
      if (!(await link.open()) || !dialect.network.echo || link.silentMs < echoMs) return;
      const ask: Ask = (request, answerMti) => link.exchange(request, answerMti);
      if ((await this.#ask('echo', ask)).kind !== 'answer') link.drop();
    };
    // An exchange reports its faults by its result.
    void look().then(() => {
      const waitMs = Math.max(1_000, echoMs - link.silentMs);
      if (!this.#isOver) this.#timer = clock.setTimeout(() => this.keep(link), Math.min(waitMs, echoMs));
    });
  }

  /** Whether it answers on this connection, which is open, as far as its dialect has a message to find out. */
  async hears(link: Pick<HostLink, 'exchange'>): Promise<boolean> {
    if (!this.#options.dialect.network.echo) return true;
    return (await this.#ask('echo', (request, answerMti) => link.exchange(request, answerMti))).kind === 'answer';
  }

  /** No more echoes. */
  stop(): void {
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #ask(name: NetworkMessage, ask: Ask): ReturnType<Ask> {
    const { requests, clock, dialect } = this.#options;
    this.#stan = (this.#stan % stanMax) + 1;
    const request: HostMessage = requests.network(name, this.#stan, clock.now());
    return ask(request, dialect.network[name]?.answerMti ?? '');
  }
}
