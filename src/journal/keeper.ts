import type { JournalStore } from './store.ts';

/** How long nobody asks the journal for anything before it looks at what is old. */
const idleMs = 2_000;
const lookMs = 3_600_000;
/** Transactions of one portion: a call waits for its two fsyncs at most. */
const portion = 20;
const dayMs = 86_400_000;

/** Moves what is older than `days` into the archive, in small portions while nobody wants anything of the journal. */
export class Keeper {
  readonly #store: JournalStore;
  readonly #days: number;
  #calledAt = 0;
  #after: string | undefined = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(store: JournalStore, days: number) {
    this.#store = store;
    this.#days = days;
    this.#in(idleMs);
  }

  /** Somebody asks for something. */
  called(): void {
    this.#calledAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #in(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const idle = performance.now() - this.#calledAt;
    if (idle < idleMs) return this.#in(idleMs - idle);
    try {
      const before = new Date(Date.now() - this.#days * dayMs);
      this.#after = this.#store.archive(before, this.#after ?? '', portion);
    } catch {
      // Nothing is lost: it stays in the journal. What is wrong with the disk the next payment tells.
      this.#after = undefined;
    }
    this.#in(this.#after === undefined ? lookMs : 0);
  }
}
