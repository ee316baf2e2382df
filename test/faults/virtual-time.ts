import { setImmediate } from 'node:timers/promises';

interface Happening {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * Virtual time: it jumps from one due event to the next. Each event runs with everything that follows from it at once.
 */
export class VirtualTime {
  /** Since the schedule began; never goes back. */
  elapsedMs = 0;
  /** Later ones first, so that the next is the last. */
  readonly #due: Happening[] = [];
  #order = 0;

  in(ms: number, run: () => void): unknown {
    const happening = { atMs: this.elapsedMs + Math.max(0, ms), order: this.#order++, run };
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#due[middle]?.atMs ?? 0) > happening.atMs) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, happening);
    return happening;
  }

  drop(handle: unknown): void {
    if (handle) (handle as Happening).run = undefined;
  }

  /** Runs the next event. False if there is none. */
  async step(): Promise<boolean> {
    for (;;) {
      const next = this.#due.pop();
      if (!next) return false;
      if (!next.run) continue;
      this.elapsedMs = next.atMs;
      next.run();
      // Promises and streams have no timers here: one turn of the event loop settles all of them.
      await setImmediate();
      return true;
    }
  }
}
