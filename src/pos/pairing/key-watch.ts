import type { Clock } from '../../base/ports/clock.ts';
import type { PairedKeys } from './paired-keys.ts';

/** `poid unpair` is another process: the interval in which its change is noticed. */
const lookMs = 250;

/** Notifies users of a key, such as streams, when the key is removed. Checks only while there are any. */
export class KeyWatch {
  readonly #keys: PairedKeys;
  readonly #clock: Clock;
  readonly #relying = new Map<() => void, string>();
  #timer: unknown;

  constructor(keys: PairedKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
    keys.onWritten(() => void this.#look());
  }

  /** Calls `tell` once. Returns a function that stops it. */
  whenGone(keyId: string, notify: () => void): () => void {
    const once = () => notify();
    this.#relying.set(once, keyId);
    this.#timer ??= this.#next();
    return () => this.#forget(once);
  }

  #next(): unknown {
    return this.#clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#look().then(() => {
        if (this.#relying.size > 0) this.#timer ??= this.#next();
      });
    }, lookMs);
  }

  /** If the keys can't be read, no call is admitted, and streams end. */
  async #look(): Promise<void> {
    const held = new Set((await this.#keys.all().catch(() => [])).map(({ keyId }) => keyId));
    for (const [notify, keyId] of this.#relying) {
      if (held.has(keyId)) continue;
      this.#forget(notify);
      notify();
    }
  }

  #forget(notify: () => void): void {
    this.#relying.delete(notify);
    if (this.#relying.size > 0) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
