import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, Random } from '../base/ports/clock.ts';

const idleMs = 60_000;

/** The operator's only session. A new one ends the one before. */
export class Session {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onEnd: () => void;
  #token: string | undefined;
  #timer: unknown;
  /** Running work of the operator: meanwhile the session does not time out. */
  #held = 0;

  constructor(clock: Clock, random: Random, onEnd: () => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onEnd = onEnd;
  }

  begin(): string {
    this.end();
    const token = Buffer.from(this.#random.bytes(32)).toString('hex');
    this.#token = token;
    this.#wait();
    return token;
  }

  /** Whether this is the session's token. If so, the session is extended by a minute. */
  holds(token: unknown): boolean {
    if (this.#token === undefined || typeof token !== 'string') return false;
    if (!timingSafeEqual(digest(token), digest(this.#token))) return false;
    this.#wait();
    return true;
  }

  /** A name of the session for records, which gives no access. Empty if there is none. */
  get name(): string {
    return this.#token === undefined ? '' : digest(this.#token).toString('hex').slice(0, 8);
  }

  /** Keeps the session while this work runs, however long, and a minute after it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#held += 1;
    this.#clock.clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.#wait();
    }
  }

  end(): void {
    this.#clock.clearTimeout(this.#timer);
    if (this.#token === undefined) return;
    this.#token = undefined;
    this.#onEnd();
  }

  #wait(): void {
    this.#clock.clearTimeout(this.#timer);
    if (this.#held === 0 && this.#token !== undefined) this.#timer = this.#clock.setTimeout(() => this.end(), idleMs);
  }
}

/** Hashed, so that both have the same length for timingSafeEqual. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
