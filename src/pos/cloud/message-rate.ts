import type { MonotonicClock } from '../../base/ports/clock.ts';

/** The turns per second that a broker may use permanently, and in one burst. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket: each message takes a token, or waits for one. Meanwhile nothing is read. */
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

  /** Takes this many tokens, and returns how long the caller must wait, in milliseconds. */
  take(turns: number): number {
    const { perSecond, burst } = this.#rate;
    const nowMs = this.#clock.elapsedMs();
    this.#turns = Math.min(burst, this.#turns + ((nowMs - this.#atMs) * perSecond) / 1_000) - turns;
    this.#atMs = nowMs;
    return this.#turns >= 0 ? 0 : Math.ceil((-this.#turns * 1_000) / perSecond);
  }
}
