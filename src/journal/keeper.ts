import type { JournalError } from '../ports/journal.ts';
import { journalError } from './failure.ts';
import { IdleWork } from './idle-work.ts';
import type { JournalStore } from './store.ts';

/** How long the journal must be idle before old transactions are looked for. */
const idleMs = 2_000;
/** Transactions per portion: a call waits for two fsyncs at most. */
const portion = 20;
const dayMs = 86_400_000;

/** Moves transactions older than `days` into the archive, in small portions while the journal is idle. */
export class Keeper {
  readonly #store: JournalStore;
  readonly #days: number;
  readonly #onLooked: (fault: JournalError | undefined) => void;
  readonly #lookMs: number;
  readonly #idle: IdleWork;
  #after: number | undefined = 0;

  /**
   * `onLooked`: receives the fault, or undefined once all old transactions have moved. `lookMs`: the interval between
   * looks.
   */
  constructor(
    store: JournalStore,
    days: number,
    onLooked: (fault: JournalError | undefined) => void,
    lookMs = 6 * 3_600_000,
  ) {
    this.#store = store;
    this.#days = days;
    this.#onLooked = onLooked;
    this.#lookMs = lookMs;
    this.#idle = new IdleWork(idleMs, () => this.#look());
  }

  /** Notes a call of the journal. */
  noteCall(): void {
    this.#idle.noteCall();
  }

  stop(): void {
    this.#idle.stop();
  }

  #look(): number {
    try {
      const before = new Date(Date.now() - this.#days * dayMs);
      this.#after = this.#store.archive(before, this.#after ?? 0, portion);
      if (this.#after === undefined) {
        this.#store.archivesPresent();
        this.#onLooked(undefined);
      }
    } catch (error) {
      // Nothing is lost: the transactions stay in the journal, which grows meanwhile.
      this.#after = undefined;
      this.#onLooked(journalError(error));
    }
    return this.#after === undefined ? this.#lookMs : 0;
  }
}
