import { setImmediate } from 'node:timers/promises';
import type { MonotonicClock } from '../../src/base/ports/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly ms: number;
  readonly run: () => void;
}

/** A clock that stands still until the test moves it. */
export class ManualClock implements MonotonicClock {
  #nowMs = Date.UTC(2026, 0, 1);
  /** Offset of the machine's clock from the time that has passed. */
  #setMs = 0;
  /** In the order in which they were set: it decides between two timers of the same time. */
  readonly #timers = new Set<Timer>();
  readonly #waiting = new Set<() => void>();

  now(): Date {
    return new Date(this.#nowMs + this.#setMs);
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  /** Sets the machine's clock. Timers are not affected. */
  jump(ms: number): void {
    this.#setMs += ms;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { atMs: this.#nowMs + ms, ms, run };
    this.#timers.add(timer);
    for (const look of this.#waiting) look();
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until each timer that is set, soonest first. */
  get pendingMs(): readonly number[] {
    return [...this.#timers].map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Resolves once a timer of `ms` is set. */
  running(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (![...this.#timers].some((timer) => timer.ms === ms)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Runs all timers that are due within `ms`, one by one. After each, all promises that follow from it settle. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#due(endMs); next; next = this.#due(endMs)) {
      this.#nowMs = next.atMs;
      this.#timers.delete(next);
      next.run();
      await settled();
    }
    this.#nowMs = endMs;
  }

  /** Advances the time at once, then runs the due timers: for a test with a real socket. */
  pass(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }

  #due(endMs: number): Timer | undefined {
    return [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
  }
}

/** Resolves when every promise that needs no time has settled. Only for code without real input or output. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
