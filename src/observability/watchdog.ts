/**
 * Feeds systemd's watchdog: first at once, so that a hang early in the start is detected too; then at each beat, as
 * long as the event loop runs and `ping` has answered since the last beat.
 */
export class Watchdog {
  readonly #feed: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  #ping: (() => Promise<unknown>) | undefined;
  #hasAnswered = true;
  #isAsked = false;
  /** A beat was skipped: the watchdog is fed as soon as the answer comes. */
  #isLate = false;

  /** `beatMs`: undefined if no watchdog is set. */
  constructor(feed: () => void, beatMs: number | undefined) {
    this.#feed = feed;
    if (beatMs === undefined) return;
    feed();
    this.#timer = setInterval(() => this.#beat(), beatMs);
  }

  watch(ping: () => Promise<unknown>): void {
    if (this.#timer === undefined) return;
    this.#ping = ping;
    this.#ask(ping);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#isLate = !this.#hasAnswered;
    if (!this.#isLate) this.#feed();
    if (this.#ping) this.#ask(this.#ping);
  }

  /** One ping at a time, so that a hanging disk does not collect more of them. */
  #ask(ping: () => Promise<unknown>): void {
    this.#hasAnswered = false;
    if (this.#isAsked) return;
    this.#isAsked = true;
    const answer = (hasAnswered: boolean) => {
      this.#isAsked = false;
      this.#hasAnswered = hasAnswered;
      if (!hasAnswered || !this.#isLate) return;
      this.#isLate = false;
      this.#feed();
      this.#ask(ping);
    };
    ping().then(
      () => answer(true),
      () => answer(false),
    );
  }
}

/**
 * Half of the watchdog time of the unit (WATCHDOG_USEC, microseconds). WATCHDOG_PID names the process that it applies
 * to, in case this process inherited the variables (sd_watchdog_enabled(3)).
 */
export function watchdogMs(environment: NodeJS.ProcessEnv): number | undefined {
  const pid = environment['WATCHDOG_PID'];
  if (pid !== undefined && pid !== String(process.pid)) return undefined;
  const limitUs = Number(environment['WATCHDOG_USEC'] ?? Number.NaN);
  return Number.isSafeInteger(limitUs) && limitUs > 0 ? Math.max(1, Math.floor(limitUs / 2000)) : undefined;
}
