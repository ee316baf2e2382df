import type { JournalCheckReport, JournalError } from '../ports/journal.ts';
import type { JournalCheck } from './check.ts';
import { journalError } from './failure.ts';
import { IdleWork } from './idle-work.ts';
import type { JournalStore } from './store.ts';

const dayMs = 86_400_000;
/** Until it looks again whether something is due. */
const lookMs = 60_000;

export interface ExaminerOptions {
  /** How long nobody asks the journal for anything before a slice is read. */
  readonly idleMs: number;
  /** After each slice, and at the end. */
  readonly onNews: (report: JournalCheckReport) => void;
  /** The file can't be relied on. */
  readonly onDamage: (error: JournalError) => void;
}

/**
 * Reads the journal through in slices while nobody wants anything of it: after every end that was not an orderly one, and once a day.
 * A call waits for the slice that is being read, at most.
 */
export class Examiner {
  readonly #store: JournalStore;
  readonly #options: ExaminerOptions;
  readonly #idle: IdleWork;
  #check: JournalCheck | undefined;

  constructor(store: JournalStore, options: ExaminerOptions) {
    this.#store = store;
    this.#options = options;
    this.#idle = new IdleWork(options.idleMs, () => this.#look());
  }

  /** Somebody asks for something. */
  noteCall(): void {
    this.#idle.noteCall();
  }

  stop(): void {
    this.#idle.stop();
  }

  /** In how many milliseconds to look again; nothing where the journal is used no more. */
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

  /** A clock that is behind the last time knows nothing of how long ago that was. */
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

  /** Whether that is the end of this journal. What the disk did not give may be there at the next look. */
  #reportFailure(error: JournalError, checked: number): boolean {
    const isDamaged = error.code === 'corrupt';
    if (isDamaged) this.#store.life.markDamaged();
    this.#options.onNews({ state: 'damaged', at: new Date().toISOString(), checked, reason: error.message });
    if (isDamaged) this.#options.onDamage(error);
    return isDamaged;
  }
}
