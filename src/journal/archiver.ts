import type { JournalError } from '../payment/contracts/journal.ts';
import { journalError } from './failure.ts';
import { IdleWork } from './idle-work.ts';
import type { JournalStore } from './store.ts';

/** How long the journal must be idle before old transactions are looked for. */
const idleMs = 2_000;
/** Transactions per portion: a call waits for two fsyncs at most. */
const portion = 20;
/**
 * A search ends after so many portions without an old transaction, because later ones are younger. A busy shop has
 * 180,000 young ones, and would otherwise read each of them four times a day for half a year.
 */
const youngPortionsMax = 5;
/** If the clock was ahead, old ones may follow young ones: so one search per week reads all, and so does the first. */
const looksOfWeek = 28;
const dayMs = 86_400_000;

type Kept = Pick<JournalStore, 'archive' | 'archivesPresent'>;

/** Moves transactions older than `days` into the archive, in small portions while the journal is idle. */
export class Archiver {
  readonly #store: Kept;
  readonly #days: number;
  readonly #onLooked: (fault: JournalError | undefined) => void;
  readonly #lookMs: number;
  readonly #idle: IdleWork;
  #after: number | undefined = 0;
  #looks = 0;
  #youngPortions = 0;

  /**
   * `onLooked`: receives the fault, or undefined once all old transactions have moved. `lookMs`: the interval between
   * looks.
   */
  constructor(store: Kept, days: number, onLooked: (fault: JournalError | undefined) => void, lookMs = 6 * 3_600_000) {
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
      const { next, old } = this.#store.archive(before, this.#after ?? 0, portion);
      this.#youngPortions = old > 0 ? 0 : this.#youngPortions + 1;
      const isWhole = this.#looks % looksOfWeek === 0;
      this.#after = isWhole || this.#youngPortions < youngPortionsMax ? next : undefined;
      if (this.#after === undefined) {
        this.#looks += 1;
        this.#store.archivesPresent();
        this.#onLooked(undefined);
      }
    } catch (error) {
      // Nothing is lost: the transactions stay in the journal, which grows meanwhile.
      this.#after = undefined;
      this.#onLooked(journalError(error));
    }
    if (this.#after !== undefined) return 0;
    this.#youngPortions = 0;
    return this.#lookMs;
  }
}
