/**
 * Resolves waiting calls one at a time, one in each round of the event loop. So an event of the card reader waits for
 * one request at most, however many connections have one. Callers take turns: those who flood, on however many
 * connections, delay another by one call each.
 */
export class Turns {
  /** The waiting calls by caller: the caller whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `caller`: the address of the client. */
  next(caller: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(caller);
      if (own) own.push(resolve);
      else if (this.#waiting.set(caller, [resolve]).size === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    const [first] = this.#waiting;
    if (!first) return;
    const [caller, own] = first;
    own.shift()?.();
    this.#waiting.delete(caller);
    // It goes to the end of the queue.
    if (own.length > 0) this.#waiting.set(caller, own);
    // An immediate set in an immediate runs in the next round.
    if (this.#waiting.size > 0) setImmediate(() => this.#go());
  }
}
