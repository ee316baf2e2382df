import { type MonotonicClock, systemClock } from '../../base/ports/clock.ts';

/** A handshake costs some milliseconds of a small processor, and its client next to nothing. */
const gapMs = 10;
/** Maximum number of remembered addresses. A forgotten one counts as new. */
const addressesMax = 4_096;

/**
 * Begins TLS handshakes one at a time, some time apart. Of the addresses that wait, the one goes first whose last
 * handshake began longest ago. So however many addresses flood, a POS waits for one handshake of others at most.
 */
export class HandshakeTurns {
  readonly #clock: MonotonicClock;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The addresses, in the order of their last handshakes. */
  readonly #served = new Set<string>();
  #lastMs = -Infinity;
  #timer: unknown;

  constructor(clock: MonotonicClock = systemClock) {
    this.#clock = clock;
  }

  /** Calls `begin` when it is this one's turn. Returns a function that gives up the turn. */
  enter(address: string, begin: () => void): () => void {
    const own = this.#waiting.get(address) ?? new Set();
    this.#waiting.set(address, own.add(begin));
    this.#schedule();
    return () => this.#remove(address, begin);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const leftMs = this.#lastMs + gapMs - this.#clock.elapsedMs();
    if (leftMs <= 0) return this.#beginNext();
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#beginNext();
    }, leftMs);
  }

  #beginNext(): void {
    const address = this.#nextAddress();
    if (address === undefined) return;
    const [begin] = this.#waiting.get(address) ?? [];
    if (!begin) return;
    this.#remove(address, begin);
    this.#served.delete(address);
    this.#served.add(address);
    const [oldest] = this.#served;
    if (this.#served.size > addressesMax && oldest !== undefined) this.#served.delete(oldest);
    this.#lastMs = this.#clock.elapsedMs();
    begin();
    this.#schedule();
  }

  /** Undefined if none waits. */
  #nextAddress(): string | undefined {
    const fresh = [...this.#waiting.keys()].find((address) => !this.#served.has(address));
    return fresh ?? [...this.#served].find((address) => this.#waiting.has(address));
  }

  #remove(address: string, begin: () => void): void {
    const own = this.#waiting.get(address);
    if (own?.delete(begin) && own.size === 0) this.#waiting.delete(address);
  }
}
