import type { LineFault, LineReport } from '../../base/domain/line-security.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { AcquirerHost, SiteReport } from '../../payment/contracts/acquirer-host.ts';

/** The host at one site. */
export interface SiteHost extends AcquirerHost {
  readonly sendsPin: NonNullable<AcquirerHost['sendsPin']>;
  readonly repeatsSettlements: boolean;
  readonly line: LineReport;
  /** Whether the dialect has a sign-on or an echo, which shows without a payment whether the host answers. */
  readonly canProve: boolean;
  /** Connects if there is no connection. Resolves to false if there is no usable one. */
  connect(): Promise<boolean>;
  /**
   * Whether the site can be used, as far as connection, sign-on and echo show. `isFresh`: on a new connection; messages
   * on the present one are still received.
   */
  probe(isFresh: boolean): Promise<boolean>;
}

interface SiteOptions {
  readonly name: string;
  readonly host: SiteHost;
  readonly clock: MonotonicClock;
  /** Called when the site can be used again. */
  readonly onReturn: (site: HostSite) => void;
}

/** After this number of unanswered requests in a row, a site is not used. */
const unansweredMax = 2;

const pauses = { firstMs: 1_000, mostMs: 60_000 };
/**
 * Without sign-on and echo only a payment shows whether a silent host answers again. Each attempt may fail a payment.
 */
const pausesOfTrials = { firstMs: 60_000, mostMs: 1_800_000 };

/** Records whether one site can be used. While it can't, it is probed with growing pauses. */
export class HostSite {
  readonly name: string;
  readonly host: SiteHost;
  readonly #options: SiteOptions;
  #fault: SiteReport['fault'];
  #unanswered = 0;
  /** The number of pauses since its last answer to a request. */
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

  /** Whether no call is in progress. */
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

  /** Connects if there is no connection. Returns whether there is one. */
  async connect(): Promise<boolean> {
    const isConnected = await this.host.connect();
    if (!isConnected) this.fail(this.host.line.fault?.reason ?? 'unreachable');
    else if (this.#fault?.reason !== 'requestsNotAnswered') this.#recover();
    return isConnected;
  }

  /** Called when it has answered a request. */
  noteAnswer(): void {
    this.#unanswered = 0;
    this.#failures = 0;
    this.#recover();
  }

  /** Called when a request that was sent had no answer. */
  noteSilence(): void {
    this.#unanswered += 1;
    if (this.#unanswered >= unansweredMax) this.fail('requestsNotAnswered');
  }

  /** The site is not used until it recovers. A running pause is neither restarted nor extended. */
  fail(reason: LineFault): void {
    if (this.#isOver) return;
    const { clock } = this.#options;
    if (this.#fault?.reason !== reason) this.#fault = { reason, since: clock.now().toISOString() };
    if (this.#timer !== undefined) return;
    this.#failures += 1;
    this.#rest();
  }

  /** Ends the probes. */
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
    // The outcome of the request in flight shows soon whether the site answers.
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
