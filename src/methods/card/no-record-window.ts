import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';

/** Names a request by its transaction, or by its trace number. */
type RequestName = TerminalTransactionId | number;

/**
 * How long a host's "no record" (25) proves nothing. The request may still linger in a connection that is dead here, or
 * in the host's front end, and be processed after its reversal was answered. No public source limits that time, so it
 * is configuration (fixtures/README.md, assumed).
 */
export class NoRecordWindow {
  readonly #ms: number;
  readonly #clock: MonotonicClock;
  /** Requests that are not in the map were sent before this process started. When is not known, so its start counts. */
  readonly #startedMs: number;
  readonly #leftMs = new Map<RequestName, number>();

  constructor(ms: number, clock: MonotonicClock) {
    this.#ms = ms;
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  /** Called when the request is handed to its link, or when the host reports on it. */
  markLeaving(request: RequestName): void {
    // Entries whose time is over are equal to absent ones, so the map holds the requests of one grace period only. It is in
    // the order of leaving: behind the first one whose time runs there is none that has left before.
    for (const earlier of this.#leftMs.keys()) {
      if (this.remainingMs(earlier) > 0) break;
      this.#leftMs.delete(earlier);
    }
    this.#leftMs.delete(request);
    this.#leftMs.set(request, this.#clock.elapsedMs());
  }

  /** Called when the request has arrived: what the host says of it now counts at once. */
  markArrived(request: RequestName): void {
    this.#leftMs.set(request, -Infinity);
  }

  /** 0 if the grace period is over. */
  remainingMs(request: RequestName): number {
    const sinceMs = this.#clock.elapsedMs() - (this.#leftMs.get(request) ?? this.#startedMs);
    return Math.max(0, Math.ceil(this.#ms - sinceMs));
  }
}
