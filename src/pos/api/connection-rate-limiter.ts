/** The connections that one address may still open, and the time of the last update. */
interface Allowance {
  left: number;
  atMs: number;
}

/** Maximum number of remembered addresses. A forgotten address starts with its full allowance. */
const addressesMax = 4_096;

/**
 * Limits the rate of new connections per address: connections beyond it are closed before a byte is read. net.Server
 * consults it as its block list, before it creates a socket; that costs a tenth of an accepted connection.
 */
export class ConnectionRateLimiter {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  readonly #allowances = new Map<string, Allowance>();

  /** `perSecond`: new connections of one address, also in one burst. `nowMs`: a monotonic clock. */
  constructor(perSecond: number, nowMs: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
  }

  /** Returns true if this new connection is refused. */
  check(address: unknown): boolean {
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
