import type { MonotonicClock } from '../../base/ports/clock.ts';
import { MessageRate } from './message-rate.ts';

/** Fifty of the longest messages in four seconds, or a thousand short packets in one: more than any till sends. */
const packets = { perSecond: 1_000, burst: 200 };
const bytes = { perSecond: 1_048_576, burst: 524_288 };
/** A broker that exceeds the limit for this long without a break is considered hostile. */
const floodMs = 30_000;
/**
 * The pause after a piece, as a multiple of the time that it took: the broker uses at most a quarter of the loop's
 * time.
 */
const pauseShare = 3;

/** Limits how fast a broker's bytes are read, so that other work can run in between. */
export class FlowLimit {
  readonly #clock: MonotonicClock;
  readonly #packets: MessageRate;
  readonly #bytes: MessageRate;
  #floodSinceMs: number | undefined;
  #owedMs = 0;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
    this.#packets = new MessageRate(packets, clock);
    this.#bytes = new MessageRate(bytes, clock);
  }

  /**
   * Resolves when a piece of this length may be read, never in the same round of the loop. False once the limit is
   * exceeded for too long.
   */
  async next(length: number): Promise<boolean> {
    const waitMs = Math.max(this.#packets.take(1), this.#bytes.take(length));
    const nowMs = this.#clock.elapsedMs();
    this.#floodSinceMs = waitMs === 0 ? undefined : (this.#floodSinceMs ?? nowMs);
    if (nowMs - (this.#floodSinceMs ?? nowMs) > floodMs) return false;
    if (waitMs > 0) await this.#pause(waitMs);
    else if (this.#owedMs >= 1) await this.#pause(this.#owedMs);
    else await new Promise((resolve) => setImmediate(resolve));
    return true;
  }

  /**
   * What was read so far is parsed and handled in this round of the loop. The longer that takes, the longer the next
   * piece waits.
   */
  async spend(): Promise<void> {
    const begunMs = this.#clock.elapsedMs();
    await new Promise((resolve) => setImmediate(resolve));
    this.#owedMs += (this.#clock.elapsedMs() - begunMs) * pauseShare;
  }

  async #pause(ms: number): Promise<void> {
    this.#owedMs = 0;
    await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, ms));
  }
}
