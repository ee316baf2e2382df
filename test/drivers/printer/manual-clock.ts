import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until the test moves it, timer by timer. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Lets all that is due within `ms` happen, in order, with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms;
    await settled();
    for (let next = this.#due(end); next; next = this.#due(end)) {
      this.#nowMs = next.at;
      this.#timers.delete(next);
      next.run();
      await settled();
    }
    this.#nowMs = end;
  }

  #due(end: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** All promises that can settle without time passing have settled: nothing here does real input or output. */
export async function settled(): Promise<void> {
  await setImmediate();
}
