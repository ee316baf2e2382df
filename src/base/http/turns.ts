import { CallerQueues } from '../ports/caller-queues.ts';

/**
 * Resolves waiting calls one at a time, one in each round of the event loop. So an event of the card reader waits for
 * one request at most, however many connections have one. Callers take turns: those who flood, on however many
 * connections, delay another by one call each.
 */
export class Turns {
  readonly #waiting = new CallerQueues<() => void>();

  /** `caller`: the address of the client. */
  next(caller: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(caller, resolve);
      if (this.#waiting.size === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    this.#waiting.next()?.();
    // An immediate set in an immediate runs in the next round.
    if (this.#waiting.size > 0) setImmediate(() => this.#go());
  }
}
