import type { Clock } from '../../../../src/ports/clock.ts';

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Map<symbol, { readonly atMs: number; readonly run: () => void }>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  setTimeout(run: () => void, ms: number): symbol {
    const handle = Symbol('timer');
    this.#timers.set(handle, { atMs: this.#nowMs + ms, run });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'symbol') this.#timers.delete(handle);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Runs what falls due, in order, and after each lets everything happen that follows from it. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter(([, { atMs }]) => atMs <= endMs).sort(([, a], [, b]) => a.atMs - b.atMs)[0];
      if (!due) break;
      const [handle, { atMs, run }] = due;
      this.#timers.delete(handle);
      this.#nowMs = atMs;
      run();
      await settled();
    }
    this.#nowMs = endMs;
  }
}

/** All promises that can settle without anything happening outside have settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
