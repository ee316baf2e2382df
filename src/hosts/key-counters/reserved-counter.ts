import { counterAfter } from '../../base/domain/dukpt-counter.ts';
import type { KeyCounterFault } from '../../base/domain/line-security.ts';
import type { KeyCounter } from '../../payment/contracts/key-counter.ts';

/** Keys are reserved in blocks, so that few messages wait for the disk. A restart skips the rest of the block. */
export const blockKeys = 64;
/** When only this many are left, the next block is reserved while they are used. */
const fewKeys = 16;

interface ReservedCounterOptions {
  /** All counters up to this one count as used. */
  readonly used: number;
  /** Why no counter can be used until the next start. */
  readonly fault: KeyCounterFault | undefined;
  /** Marks all counters up to this one as used. Resolves once the mark is on stable storage. */
  readonly reserve: (upTo: number) => Promise<void>;
}

/** Takes counters from blocks that are already marked as used on stable storage. */
export class ReservedCounter implements KeyCounter {
  readonly #options: ReservedCounterOptions;
  #used: number;
  #reserved: number;
  #fault: KeyCounterFault | undefined;
  #reserving: Promise<void> | undefined;

  constructor(options: ReservedCounterOptions) {
    this.#options = options;
    this.#used = options.used;
    this.#reserved = options.used;
    this.#fault = options.fault;
  }

  get fault(): KeyCounterFault | undefined {
    return this.#fault;
  }

  async prepare(): Promise<KeyCounterFault | undefined> {
    const next = this.#next();
    if (next !== undefined && next > this.#reserved) await this.#reserve();
    return this.#fault;
  }

  take(): number | undefined | Promise<number | undefined> {
    const next = this.#next();
    if (next === undefined) return undefined;
    if (next > this.#reserved) return this.#takeReserved();
    this.#used = next;
    const soon = counterAfter(next, fewKeys);
    if (soon !== undefined && soon > this.#reserved) void this.#reserve();
    return next;
  }

  /** Undefined if there is no counter; `fault` has the reason. */
  #next(): number | undefined {
    if (this.#options.fault) return undefined;
    const next = counterAfter(this.#used);
    if (next === undefined) this.#fault = 'keysExhausted';
    return next;
  }

  async #takeReserved(): Promise<number | undefined> {
    const before = this.#reserved;
    await this.#reserve();
    return this.#reserved > before ? this.take() : undefined;
  }

  /** Sets `fault` on a failure. The next message tries again. */
  #reserve(): Promise<void> {
    this.#reserving ??= this.#reserveBlock().finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  async #reserveBlock(): Promise<void> {
    const upTo = counterAfter(this.#used, blockKeys);
    if (upTo === undefined) return;
    try {
      await this.#options.reserve(upTo);
      this.#reserved = upTo;
      this.#fault = undefined;
    } catch {
      const next = counterAfter(this.#used);
      // Without a fault, keys of the previous block are left.
      if (next !== undefined && next > this.#reserved) this.#fault = 'keyCounterNotWritten';
    }
  }
}
