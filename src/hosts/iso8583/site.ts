import type { LineFault, LineReport } from '../../base/domain/line-security.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { AcquirerHost, SiteReport } from '../../payment/contracts/acquirer-host.ts';

/** The host at one site. */
export interface SiteHost extends AcquirerHost {
  readonly line: LineReport;
  /** Whether its dialect has a message without money, a sign-on or an echo. */
  readonly canProve: boolean;
  /** Connects, if there is no connection. False: there is none that may be used. */
  connect(): Promise<boolean>;
  /**
   * Whether it can be used, as far as its dialect has a message to find out. `isFresh`: on another connection than the
   * present one, on which it is still heard.
   */
  probe(isFresh: boolean): Promise<boolean>;
}

interface SiteOptions {
  readonly name: string;
  readonly host: SiteHost;
  readonly clock: MonotonicClock;
  /** It can be used again. */
  readonly onReturn: (site: HostSite) => void;
}

/** A site that has left so many requests without an answer, one after the other, is not used. */
const unansweredMax = 2;

const pauses = { firstMs: 1_000, mostMs: 60_000 };
/** Only a payment shows whether a silent host without a message of its own answers again: each try may cost one. */
const pausesOfTrials = { firstMs: 60_000, mostMs: 1_800_000 };

/** Whether one site can be used. One that can't is probed, with growing pauses, until it can. */
export class HostSite {
  readonly name: string;
  readonly host: SiteHost;
  readonly #options: SiteOptions;
  #fault: SiteReport['fault'];
  #unanswered = 0;
  /** Since it has answered a request. */
  #failures = 0;
  #calls = 0;
  #timer: unknown;
  #isOver = false;

  constructor(options: SiteOptions) {
    this.name = options.name;
    this.host = options.host;
    this.#options = options;
  }

  get fault(): SiteReport['fault'] {
    return this.#fault;
  }

  /** Nothing waits for its answer. */
  get isIdle(): boolean {
    return this.#calls === 0;
  }

  async call<T>(work: (host: SiteHost) => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await work(this.host);
    } finally {
      this.#calls -= 1;
    }
  }

  /** Whether there is a connection now. */
  async connect(): Promise<boolean> {
    const isConnected = await this.host.connect();
    if (!isConnected) this.fail(this.host.line.fault?.reason ?? 'unreachable');
    else if (this.#fault?.reason !== 'requestsNotAnswered') this.#recover();
    return isConnected;
  }

  /** It has answered a request. */
  noteAnswer(): void {
    this.#unanswered = 0;
    this.#failures = 0;
    this.#recover();
  }

  /** A request that was sent has no answer. */
  noteSilence(): void {
    this.#unanswered += 1;
    if (this.#unanswered >= unansweredMax) this.fail('requestsNotAnswered');
  }

  /** It is not used from now on. A pause that runs is neither begun again nor made longer. */
  fail(reason: LineFault): void {
    if (this.#isOver) return;
    const { clock } = this.#options;
    if (this.#fault?.reason !== reason) this.#fault = { reason, since: clock.now().toISOString() };
    if (this.#timer !== undefined) return;
    this.#failures += 1;
    this.#rest();
  }

  /** Probes it no more. */
  stop(): void {
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #rest(): void {
    const isTrial = this.#fault?.reason === 'requestsNotAnswered' && !this.host.canProve;
    const { firstMs, mostMs } = isTrial ? pausesOfTrials : pauses;
    const pauseMs = Math.min(mostMs, firstMs * 2 ** (this.#failures - 1));
    this.#timer = this.#options.clock.setTimeout(() => void this.#probe(), pauseMs);
  }

  async #probe(): Promise<void> {
    this.#timer = undefined;
    if (!this.#fault || this.#isOver) return;
    // What is in flight there tells soon enough.
    if (!this.isIdle) return this.#rest();
    const { reason } = this.#fault;
    const isBack = await this.call((host) => host.probe(reason === 'requestsNotAnswered'));
    if (this.#isOver) return;
    if (!isBack) return this.fail(this.host.line.fault?.reason ?? reason);
    this.#unanswered = 0;
    this.#recover();
  }

  #recover(): void {
    if (!this.#fault || this.#isOver) return;
    this.#fault = undefined;
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.onReturn(this);
  }
}
