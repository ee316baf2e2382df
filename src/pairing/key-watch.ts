import type { Clock } from '../ports/clock.ts';
import type { PairedKeys } from './paired-keys.ts';

/** `poid unpair` is a process of its own: so long may pass until what it wrote is seen. */
const lookMs = 250;

/** Tells those who rely on a key for longer than one call when it is there no more. Looks only while somebody does. */
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

  /** Calls `tell` once. Returns the way to stop. */
  whenGone(keyId: string, tell: () => void): () => void {
    const once = () => tell();
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

  /** Keys that can't be read let nobody in, and keep nobody in. */
  async #look(): Promise<void> {
    const held = new Set((await this.#keys.all().catch(() => [])).map(({ keyId }) => keyId));
    for (const [tell, keyId] of this.#relying) {
      if (held.has(keyId)) continue;
      this.#forget(tell);
      tell();
    }
  }

  #forget(tell: () => void): void {
    this.#relying.delete(tell);
    if (this.#relying.size > 0) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
