import { setImmediate } from 'node:timers/promises';
import type { SteadyClock } from '../../src/ports/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that stands still until the test moves it, timer by timer. */
export class ManualClock implements SteadyClock {
  #nowMs = Date.UTC(2026, 0, 1);
  #setMs = 0;
  readonly #timers = new Set<Timer>();

  now(): Date {
    return new Date(this.#nowMs + this.#setMs);
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  /** Somebody sets the machine's clock. Timers go by time that passes. */
  jump(ms: number): void {
    this.#setMs += ms;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer);
  }

  /** Milliseconds until each timer that is set, soonest first. */
  get pendingMs(): readonly number[] {
    return [...this.#timers].map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Lets all that is due within `ms` happen, in order, with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (let next = this.#due(endMs); next; next = this.#due(endMs)) {
      this.#nowMs = next.atMs;
      this.#timers.delete(next);
      next.run();
      await settled();
    }
    this.#nowMs = endMs;
  }

  #due(endMs: number): Timer | undefined {
    return [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
  }
}

/** Every promise that needs no time to settle has settled: all that these tests do is in this process and synchronous. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
