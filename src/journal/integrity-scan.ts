import type { JournalCheckReport, JournalError } from '../payment/contracts/journal.ts';
import type { JournalCheck } from './check.ts';
import { journalError } from './failure.ts';
import { IdleWork } from './idle-work.ts';
import type { JournalStore } from './store.ts';

const dayMs = 86_400_000;
/** The interval between checks whether a read-through is due. */
const lookMs = 60_000;

export interface IntegrityScanOptions {
  /** How long the journal must have been idle before a slice is read. */
  readonly idleMs: number;
  /** Called after each slice, and at the end. */
  readonly onNews: (report: JournalCheckReport) => void;
  /** Called when the file can't be relied on. */
  readonly onDamage: (error: JournalError) => void;
}

/**
 * Reads the journal through in slices while it is idle: after every start that follows an unclean end, and once a day.
 * A call waits for one slice at most.
 */
export class IntegrityScan {
  readonly #store: JournalStore;
  readonly #options: IntegrityScanOptions;
  readonly #idle: IdleWork;
  #check: JournalCheck | undefined;

  constructor(store: JournalStore, options: IntegrityScanOptions) {
    this.#store = store;
    this.#options = options;
    this.#idle = new IdleWork(options.idleMs, () => this.#look());
  }

  /** Notes a call of the journal. */
  noteCall(): void {
    this.#idle.noteCall();
  }

  stop(): void {
    this.#idle.stop();
  }

  /** Returns the delay until the next look in milliseconds; undefined if the journal is not used any more. */
  #look(): number | undefined {
    this.#store.life.keep();
    if (!this.#check && !this.#isDue()) return lookMs;
    this.#check ??= this.#store.check();
    const { onNews } = this.#options;
    try {
      const isThrough = this.#check.slice();
      const { checked } = this.#check;
      if (!isThrough) {
        onNews({ state: 'running', checked });
        return 0;
      }
      onNews(this.#reportEnd(this.#check));
    } catch (error) {
      if (this.#reportFailure(journalError(error), this.#check.checked)) return undefined;
    }
    this.#check = undefined;
    return lookMs;
  }

  /** If the clock is behind the last check, the age is negative: then the check is due. */
  #isDue(): boolean {
    const { at } = this.#store.life.checkReport;
    const ago = at === undefined ? Number.NaN : Date.now() - new Date(at).getTime();
    return !(ago >= 0 && ago < dayMs);
  }

  #reportEnd({ checked, unreadable }: JournalCheck): JournalCheckReport {
    const at = new Date();
    if (unreadable === 0) {
      this.#store.life.markChecked(at);
      return { state: 'ok', at: at.toISOString(), checked };
    }
    const reason = `${unreadable} events can't be read: their transactions wait for the operator`;
    return { state: 'damaged', at: at.toISOString(), checked, reason };
  }

  /** Returns whether this journal has ended. After a read error of the disk, the next look may succeed. */
  #reportFailure(error: JournalError, checked: number): boolean {
    const isDamaged = error.code === 'corrupt';
    if (isDamaged) this.#store.life.markDamaged();
    this.#options.onNews({ state: 'damaged', at: new Date().toISOString(), checked, reason: error.message });
    if (isDamaged) this.#options.onDamage(error);
    return isDamaged;
  }
}
