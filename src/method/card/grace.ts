import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { SteadyClock } from '../../ports/clock.ts';

/** A request by its transaction, or by its trace number. */
type RequestName = TerminalTransactionId | number;

/**
 * How long a host's "no record" (25) of a request means nothing: the request may still linger in a connection that is dead here, or
 * at the host's own front end, and be carried out after its reversal was answered. How long that can be no public source says
 * (fixtures/README.md, assumed): it is configuration.
 */
export class Grace {
  readonly #ms: number;
  readonly #clock: SteadyClock;
  /** What left before is older than this process, by how much nobody knows. */
  readonly #startedMs: number;
  readonly #leftMs = new Map<RequestName, number>();

  constructor(ms: number, clock: SteadyClock) {
    this.#ms = ms;
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  /** The request is given to its link, or its host tells of it. */
  markLeaving(request: RequestName): void {
    // What is over is as good as forgotten: the map holds no more than one grace's requests.
    for (const earlier of this.#leftMs.keys()) if (this.remainingMs(earlier) === 0) this.#leftMs.delete(earlier);
    this.#leftMs.set(request, this.#clock.elapsedMs());
  }

  /** It is where it was sent: what its host says of it now counts at once. */
  markArrived(request: RequestName): void {
    this.#leftMs.set(request, -Infinity);
  }

  /** 0 where it is over. */
  remainingMs(request: RequestName): number {
    const sinceMs = this.#clock.elapsedMs() - (this.#leftMs.get(request) ?? this.#startedMs);
    return Math.max(0, Math.ceil(this.#ms - sinceMs));
  }
}
