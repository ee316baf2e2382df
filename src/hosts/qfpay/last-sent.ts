import type { MonotonicClock } from '../../base/ports/clock.ts';

const keptMax = 1000;

/** When requests that can move money were last sent by this process, in monotonic time. */
export class LastSent {
  readonly #clock: MonotonicClock;
  readonly #keepMs: number;
  /**
   * Orders that are not in the map were sent before this process started. The time is unknown, so the start of the
   * process counts.
   */
  readonly #startedMs: number;
  readonly #leftMs = new Map<string, number>();

  constructor(keepMs: number, clock: MonotonicClock) {
    this.#keepMs = keepMs;
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  /** Called before and after a request, while it may be on its way. */
  noteRequest(tradeNo: string): void {
    // Oldest first. Entries younger than `keepMs` are kept, because a missing entry counts as sent before this process
    // started.
    for (const [earlier, atMs] of this.#leftMs) {
      if (this.#leftMs.size < keptMax || this.#clock.elapsedMs() - atMs < this.#keepMs) break;
      this.#leftMs.delete(earlier);
    }
    this.#leftMs.delete(tradeNo);
    this.#leftMs.set(tradeNo, this.#clock.elapsedMs());
  }

  /** How long ago the order was sent, in milliseconds; undefined if this process has not sent it. */
  agoMs(tradeNo: string): number | undefined {
    const leftMs = this.#leftMs.get(tradeNo);
    return leftMs === undefined ? undefined : this.#clock.elapsedMs() - leftMs;
  }

  /** For how long nothing of this order was sent, as far as this process knows. */
  quietMs(tradeNo: string): number {
    return this.agoMs(tradeNo) ?? this.#clock.elapsedMs() - this.#startedMs;
  }
}
