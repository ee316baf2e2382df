import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/ports/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/**
 * One time for both ends of a wire: the driver has it as its port, the simulator by the global timers. It moves only when a test
 * waits, and then from one timer to the next.
 */
export class VirtualClock implements Clock {
  #nowMs = Date.UTC(2026, 10, 21, 4);
  /** In the order of their setting, which decides between two of the same time. */
  readonly #timers = new Map<object, Timer>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  setTimeout(run: () => void, ms = 0): object {
    const handle = {};
    this.#timers.set(handle, { atMs: this.#nowMs + ms, run });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'object' && handle !== null) this.#timers.delete(handle);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    while (this.#fire(endMs)) await settled();
    this.#nowMs = endMs;
  }

  /** Lets as much time pass as it takes, at most `withinMs`: what needs more hangs. */
  async settles<Value>(promise: Promise<Value>, withinMs: number, what: string): Promise<Value> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    promise.then(end, end);
    assert.ok(await this.becomes(() => isOver, withinMs), `${what} has not ended after ${withinMs} ms`);
    return promise;
  }

  /** As `settles`, for what is asked again after every timer. */
  async becomes(wanted: () => boolean, withinMs: number): Promise<boolean> {
    const endMs = this.#nowMs + withinMs;
    await settled();
    while (!wanted()) {
      if (!this.#fire(endMs)) return false;
      await settled();
    }
    return true;
  }

  #fire(untilMs: number): boolean {
    let first: [handle: object, timer: Timer] | undefined;
    for (const entry of this.#timers) if (first === undefined || entry[1].atMs < first[1].atMs) first = entry;
    if (first === undefined || first[1].atMs > untilMs) return false;
    const [handle, { atMs, run }] = first;
    this.#timers.delete(handle);
    this.#nowMs = Math.max(this.#nowMs, atMs);
    run();
    return true;
  }
}

const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** From here on whoever uses the global timers uses this clock's. Returns the way back. */
export function installed(clock: VirtualClock): () => void {
  const set = (run: () => void, ms?: number) => clock.setTimeout(run, ms);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: (handle: unknown) => clock.clearTimeout(handle) });
  return () => void Object.assign(globalThis, real);
}

/** All promises that can settle without time passing have settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
