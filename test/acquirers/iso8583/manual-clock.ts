import type { SteadyClock } from '../../../src/ports/clock.ts';

/** A clock that stands still until the test moves it. */
export class ManualClock implements SteadyClock {
  #nowMs = Date.UTC(2026, 0, 1);
  /** What the machine's clock shows beside it. */
  #wrongMs = 0;
  readonly #timers = new Map<symbol, { atMs: number; run: () => void }>();

  get pending(): number {
    return this.#timers.size;
  }

  now(): Date {
    return new Date(this.#nowMs + this.#wrongMs);
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  /** Somebody sets the machine's clock: no time passes. */
  set(at: Date): void {
    this.#wrongMs = at.getTime() - this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const handle = Symbol('timer');
    this.#timers.set(handle, { atMs: this.#nowMs + ms, run });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'symbol') this.#timers.delete(handle);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const [handle, { atMs, run }] of this.#timers) {
      if (atMs > this.#nowMs) continue;
      this.#timers.delete(handle);
      run();
    }
  }
}
