import type { Clock } from '../../../src/ports/clock.ts';

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Map<symbol, { readonly atMs: number; readonly ms: number; readonly run: () => void }>();
  readonly #waiting = new Set<() => void>();

  get pending(): number {
    return this.#timers.size;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  setTimeout(run: () => void, ms: number): unknown {
    const handle = Symbol('timer');
    this.#timers.set(handle, { atMs: this.#nowMs + ms, ms, run });
    for (const look of this.#waiting) look();
    return handle;
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'symbol') this.#timers.delete(handle);
  }

  /** Resolves once a timer of `ms` runs. */
  running(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (![...this.#timers.values()].some((timer) => timer.ms === ms)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
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
