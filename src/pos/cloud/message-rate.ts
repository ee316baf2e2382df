import type { MonotonicClock } from '../../base/ports/clock.ts';

/** How many turns a second a broker may use for long, and how many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A bucket of turns: a message takes one, and what finds none waits. Its reader does not read on meanwhile. */
export class MessageRate {
  readonly #rate: Rate;
  readonly #clock: MonotonicClock;
  #turns: number;
  #atMs: number;

  constructor(rate: Rate, clock: MonotonicClock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#turns = rate.burst;
    this.#atMs = clock.elapsedMs();
  }

  /** Resolves when the next message may be read: never in the same round of the loop. */
  async next(): Promise<void> {
    const waitMs = this.take(1);
    await new Promise<void>((resolve) => {
      if (waitMs === 0) setImmediate(resolve);
      else this.#clock.setTimeout(resolve, waitMs);
    });
  }

  /** Takes so many turns, and returns for how long whoever took them must wait, in milliseconds. */
  take(turns: number): number {
    const { perSecond, burst } = this.#rate;
    const nowMs = this.#clock.elapsedMs();
    this.#turns = Math.min(burst, this.#turns + ((nowMs - this.#atMs) * perSecond) / 1_000) - turns;
    this.#atMs = nowMs;
    return this.#turns >= 0 ? 0 : Math.ceil((-this.#turns * 1_000) / perSecond);
  }
}
