/**
 * Resolves waiting calls one at a time, one in each round of the event loop. So an event of the card reader waits for
 * one request at most, however many connections have one.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    this.#waiting.shift()?.();
    // An immediate set in an immediate runs in the next round.
    if (this.#waiting.length > 0) setImmediate(() => this.#go());
  }
}
