import type { MonotonicClock } from '../../base/ports/clock.ts';

/** If a clock is set back, expired calls look valid again. */
export interface SetBack {
  /** The clock's time when the change was noticed. Milliseconds since 1970, as `unsetMs`. */
  readonly noticedMs: number;
  /** The present time of the clock without the change. */
  readonly unsetMs: number;
}

/** The time by which signed calls are judged. It remembers for `memoryMs` that the clock was set back. */
export class CallClock {
  readonly #clock: MonotonicClock;
  readonly #memoryMs: number;
  /** The clock's last time, and when it was read in elapsed time. */
  #lastMs: number;
  #atMs: number;
  #setBack: { readonly noticedMs: number; readonly byMs: number; readonly untilMs: number } | undefined;

  constructor(clock: MonotonicClock, memoryMs: number) {
    this.#clock = clock;
    this.#memoryMs = memoryMs;
    [this.#lastMs, this.#atMs] = [clock.now().getTime(), clock.elapsedMs()];
  }

  read(): { readonly nowMs: number; readonly setBack?: SetBack } {
    const [nowMs, elapsedMs] = [this.#clock.now().getTime(), this.#clock.elapsedMs()];
    if (this.#setBack && elapsedMs >= this.#setBack.untilMs) this.#setBack = undefined;
    const byMs = this.#lastMs + (elapsedMs - this.#atMs) - nowMs;
    if (byMs >= leastMs) {
      const before = this.#setBack?.byMs ?? 0;
      this.#setBack = { noticedMs: nowMs, byMs: before + byMs, untilMs: elapsedMs + this.#memoryMs };
    }
    [this.#lastMs, this.#atMs] = [nowMs, elapsedMs];
    const { noticedMs, byMs: allMs = 0 } = this.#setBack ?? {};
    return noticedMs === undefined ? { nowMs } : { nowMs, setBack: { noticedMs, unsetMs: nowMs + allMs } };
  }
}

/** Smaller differences come from a time server that slows the clock down, and from the resolution of the two clocks. */
const leastMs = 500;
