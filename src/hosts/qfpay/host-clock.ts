import type { MonotonicClock } from '../../base/ports/clock.ts';
import { hostDateTime, wallText, wallTimeMs } from './host-time.ts';

/**
 * The host's own time, as last received by this process, advanced by the monotonic clock. Enquiries depend on the
 * host's time (QFPay, transaction enquiry: records are filtered by `sysdtm`), and this machine's clock may be wrong by
 * years.
 */
export class HostClock {
  readonly #clock: MonotonicClock;
  readonly #timeZone: string | undefined;
  #heard: { readonly wallMs: number; readonly atMs: number } | undefined;

  constructor(clock: MonotonicClock, timeZone: string | undefined) {
    this.#clock = clock;
    this.#timeZone = timeZone;
  }

  /**
   * Notes the host's time. `date`: the header (RFC 9110, 6.6.1: when the answer was made). `sysdtm`: of a payment made
   * just now.
   */
  hear(date: string | undefined, sysdtm: unknown): void {
    const wallMs = this.#wallMs(date) ?? wallTimeMs(sysdtm);
    if (wallMs !== undefined) this.#heard = { wallMs, atMs: this.#clock.elapsedMs() };
  }

  /** The host's local time in milliseconds, as if it were UTC; undefined if not known. */
  get nowMs(): number | undefined {
    return this.#heard && this.#heard.wallMs + this.#clock.elapsedMs() - this.#heard.atMs;
  }

  get text(): string | undefined {
    const ms = this.nowMs;
    return ms === undefined ? undefined : wallText(ms);
  }

  /** An instant in the host's local time. */
  wallTimeOf(at: Date): number | undefined {
    return Number.isNaN(at.getTime()) ? undefined : wallTimeMs(hostDateTime(at, this.#timeZone));
  }

  #wallMs(date: string | undefined): number | undefined {
    return date === undefined ? undefined : this.wallTimeOf(new Date(date));
  }
}
