import type { SteadyClock } from '../../ports/clock.ts';

const keptMax = 1000;

/** When an order that can move money last left this process, by time that passes. */
export class Departures {
  readonly #clock: SteadyClock;
  readonly #keepMs: number;
  /** What left before is older than this process, by how much nobody knows. */
  readonly #startedMs: number;
  readonly #leftMs = new Map<string, number>();

  constructor(keepMs: number, clock: SteadyClock) {
    this.#keepMs = keepMs;
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  /** It may be on its way from here at this moment. */
  noteDeparture(tradeNo: string): void {
    // The oldest first. One that is younger than `keepMs` must not be taken for one of before this process.
    for (const [earlier, atMs] of this.#leftMs) {
      if (this.#leftMs.size < keptMax || this.#clock.elapsedMs() - atMs < this.#keepMs) break;
      this.#leftMs.delete(earlier);
    }
    this.#leftMs.delete(tradeNo);
    this.#leftMs.set(tradeNo, this.#clock.elapsedMs());
  }

  /** How long ago; nothing where it did not leave in this process. */
  agoMs(tradeNo: string): number | undefined {
    const leftMs = this.#leftMs.get(tradeNo);
    return leftMs === undefined ? undefined : this.#clock.elapsedMs() - leftMs;
  }

  /** How long nothing of this order has left, as far as this process can tell. */
  quietMs(tradeNo: string): number {
    return this.agoMs(tradeNo) ?? this.#clock.elapsedMs() - this.#startedMs;
  }
}
