/** So many callers may wait for their turn. Each keeps a connection, and is answered in order. */
const waitingMax = 16;

/**
 * Lists and reports are made one after the other, whoever asks: so a payment's commit waits for one piece of their
 * reading at most, however many points of sale read.
 */
export class ReadingTurns {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Undefined, at once, if too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#waiting > waitingMax) return undefined;
    this.#waiting += 1;
    const done = this.#last.then(work).finally(() => (this.#waiting -= 1));
    this.#last = done.catch(() => undefined);
    return done;
  }
}
