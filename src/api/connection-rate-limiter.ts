import { BlockList } from 'node:net';

/** What one address may still open, and when that was so. */
interface Allowance {
  left: number;
  atMs: number;
}

/** Addresses that are remembered; who is forgotten has all its connections before it again. */
const addressesMax = 4_096;

/**
 * Keeps out whoever opens connections faster than any point of sale does: what it opens beyond that is closed before a byte of it
 * is read. net.Server asks it as its block list, ahead of making a socket: that costs a tenth of a connection that is taken.
 */
export class ConnectionRateLimiter extends BlockList {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  readonly #allowances = new Map<string, Allowance>();

  /** `perSecond`: new connections of one address, also all at once. `nowMs`: of a clock that is never set back. */
  constructor(perSecond: number, nowMs: () => number = () => performance.now()) {
    super();
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
  }

  /** Whether this new connection is refused. */
  override check(address: unknown): boolean {
    const allowance = this.#allowanceOf(String(address));
    const nowMs = this.#nowMs();
    const regained = ((nowMs - allowance.atMs) * this.#perSecond) / 1_000;
    allowance.left = Math.min(this.#perSecond, allowance.left + regained);
    allowance.atMs = nowMs;
    if (allowance.left < 1) return true;
    allowance.left--;
    return false;
  }

  #allowanceOf(address: string): Allowance {
    const known = this.#allowances.get(address);
    if (known) return known;
    const [oldest] = this.#allowances.keys();
    if (this.#allowances.size >= addressesMax && oldest !== undefined) this.#allowances.delete(oldest);
    const fresh = { left: this.#perSecond, atMs: this.#nowMs() };
    this.#allowances.set(address, fresh);
    return fresh;
  }
}
