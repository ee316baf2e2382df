/** Work for idle times of the journal, one piece at a time: a call waits for one piece at most. */
export class IdleWork {
  readonly #idleMs: number;
  readonly #work: () => number | undefined;
  #calledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `work` does one piece and returns the delay until the next in milliseconds, or undefined for never. */
  constructor(idleMs: number, work: () => number | undefined) {
    this.#idleMs = idleMs;
    this.#work = work;
    this.#in(idleMs);
  }

  /** Notes a call of the journal. */
  noteCall(): void {
    this.#calledAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #in(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const idle = performance.now() - this.#calledAt;
    if (idle < this.#idleMs) return this.#in(this.#idleMs - idle);
    const nextMs = this.#work();
    if (nextMs !== undefined) this.#in(nextMs);
  }
}
