/** Work for while nobody asks the journal for anything: one piece at a time, a call waits for that at most. */
export class IdleWork {
  readonly #idleMs: number;
  readonly #work: () => number | undefined;
  #calledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `work`: does one piece, and says in how many milliseconds to look again; nothing for never. */
  constructor(idleMs: number, work: () => number | undefined) {
    this.#idleMs = idleMs;
    this.#work = work;
    this.#in(idleMs);
  }

  /** Somebody asks for something. */
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
