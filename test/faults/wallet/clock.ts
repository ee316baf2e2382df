import type { VirtualTime } from '../virtual-time.ts';

const hongKongMs = 8 * 3_600_000;

/** The clock of the host's own machine. */
export class HostClock {
  readonly #time: VirtualTime;
  readonly #beganMs: number;

  constructor(time: VirtualTime, began: Date) {
    this.#time = time;
    this.#beganMs = began.getTime();
  }

  /** The Date header (RFC 9110, 6.6.1: an origin server with a clock sends it). */
  get httpDate(): string {
    return new Date(this.#beganMs + this.#time.elapsedMs).toUTCString();
  }

  /** `YYYY-MM-DD hh:mm:ss` of Hong Kong, which has no summer time. */
  get text(): string {
    return new Date(this.#beganMs + this.#time.elapsedMs + hongKongMs).toISOString().slice(0, 19).replace('T', ' ');
  }
}
