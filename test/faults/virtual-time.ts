import { setImmediate } from 'node:timers/promises';

interface Happening {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Time that passes from one thing to the next: whatever is due first happens, with all that follows from it at once. */
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

  /** The next thing happens. False where nothing is due. */
  async step(): Promise<boolean> {
    for (;;) {
      const next = this.#due.pop();
      if (!next) return false;
      if (!next.run) continue;
      this.elapsedMs = next.atMs;
      next.run();
      // Promises and streams have no timers of their own here: one turn of the loop lets all of them come to rest.
      await setImmediate();
      return true;
    }
  }
}
