import { systemClock } from '../base/ports/clock.ts';

export interface IdleWorkOptions {
  /**
   * Maximum wait for an idle moment. After it, work is done between two calls, a piece each `idleMs`. Default: no
   * limit.
   */
  readonly latestMs?: number;
  readonly elapsedMs?: () => number;
}

/** Work for idle times of the journal, one piece at a time: a call waits for one piece at most. */
export class IdleWork {
  readonly #idleMs: number;
  readonly #latestMs: number;
  readonly #work: () => number | undefined;
  readonly #elapsedMs: () => number;
  #calledAt = Number.NEGATIVE_INFINITY;
  /** Since when there has been something to do. */
  #dueAt: number;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** `work` does one piece and returns the delay until the next in milliseconds, or undefined for never. */
  constructor(idleMs: number, work: () => number | undefined, options: IdleWorkOptions = {}) {
    const { latestMs = Number.POSITIVE_INFINITY, elapsedMs = () => systemClock.elapsedMs() } = options;
    this.#idleMs = idleMs;
    this.#latestMs = latestMs;
    this.#work = work;
    this.#elapsedMs = elapsedMs;
    this.#dueAt = elapsedMs() + idleMs;
    this.#in(idleMs);
  }

  /** Notes a call of the journal. */
  noteCall(): void {
    this.#calledAt = this.#elapsedMs();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  #in(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const now = this.#elapsedMs();
    const [idle, late] = [now - this.#calledAt, now - this.#dueAt];
    if (idle >= this.#idleMs) return this.#do(0);
    if (late < this.#latestMs) return this.#in(Math.min(this.#idleMs - idle, this.#latestMs - late));
    // Calls that have arrived are answered before.
    this.#immediate = setImmediate(() => this.#do(this.#idleMs));
  }

  /** `pauseMs`: the delay until the next piece at least. */
  #do(pauseMs: number): void {
    const nextMs = this.#work();
    if (nextMs === undefined) return;
    // The next piece of the same work is as late as this one.
    if (nextMs > 0) this.#dueAt = this.#elapsedMs() + nextMs;
    this.#in(Math.max(nextMs, pauseMs));
  }
}
