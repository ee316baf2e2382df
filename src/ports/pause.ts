import type { Clock } from './clock.ts';

/** Ends early when the signal is aborted. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
}

/** Waits for `work`, but not longer than `ms`. */
export function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const settled = () => {
      clock.clearTimeout(timer);
      resolve();
    };
    work.then(settled, settled);
  });
}

/**
 * More than `ms` have passed. It goes by time that passes, because the machine's clock may be set meanwhile: what waits for an
 * hour of the day would wait for all the time that a clock was set back.
 */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #timer: unknown;
  #isOver = false;

  constructor(ms: number, clock: Clock) {
    this.#clock = clock;
    this.#timer = clock.setTimeout(() => {
      this.#isOver = true;
    }, ms + 1);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nobody asks any more. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}
