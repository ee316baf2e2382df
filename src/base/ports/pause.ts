import type { Clock } from './clock.ts';

/** Waits for `ms`; less if the signal is aborted. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
    if (signal?.aborted) finish();
  });
}

/** Waits for `work`, but not longer than `ms`. */
export function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const finish = () => {
      clock.clearTimeout(timer);
      resolve();
    };
    work.then(finish, finish);
  });
}

/**
 * Ends after `ms` or slightly later. It uses a timer, because the machine's clock may be set meanwhile: a comparison of
 * clock times would wait longer by as much as the clock was set back.
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

  /** Stops the timer. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}
