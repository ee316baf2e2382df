/**
 * Signs of life for systemd's watchdog: the first at once, so that a hang early in the start is seen too. After that one at each beat, while
 * the event loop turns and whatever is watched has answered since the last one.
 */
export class Watchdog {
  readonly #feed: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  #ping: (() => Promise<unknown>) | undefined;
  #hasAnswered = true;
  #isAsked = false;
  /** A beat was left out: the answer is fed as soon as it comes. */
  #isLate = false;

  /** `beatMs`: nothing where nobody watches. */
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

  /** One question at a time: a disk that hangs is not asked more and more. */
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
 * Half of the time that the unit allows between two signs of life (WATCHDOG_USEC, microseconds). WATCHDOG_PID says whose
 * signs they are, where this process inherited the variables (sd_watchdog_enabled(3)).
 */
export function watchdogMs(environment: NodeJS.ProcessEnv): number | undefined {
  const pid = environment['WATCHDOG_PID'];
  if (pid !== undefined && pid !== String(process.pid)) return undefined;
  const limitUs = Number(environment['WATCHDOG_USEC'] ?? Number.NaN);
  return Number.isSafeInteger(limitUs) && limitUs > 0 ? Math.max(1, Math.floor(limitUs / 2000)) : undefined;
}
