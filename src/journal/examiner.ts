import type { JournalCheckReport, JournalError } from '../ports/journal.ts';
import type { JournalCheck } from './check.ts';
import { journalError } from './failure.ts';
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
  #calledAt = Number.NEGATIVE_INFINITY;
  #check: JournalCheck | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: JournalStore, options: ExaminerOptions) {
    this.#store = store;
    this.#options = options;
    this.#in(options.idleMs);
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
    const { idleMs } = this.#options;
    const idle = performance.now() - this.#calledAt;
    if (idle < idleMs) return this.#in(idleMs - idle);
    this.#store.note();
    if (!this.#check && !this.#isDue()) return this.#in(lookMs);
    this.#check ??= this.#store.check();
    const { onNews } = this.#options;
    try {
      const isThrough = this.#check.slice();
      const { checked } = this.#check;
      if (!isThrough) {
        onNews({ state: 'running', checked });
        return this.#in(0);
      }
      onNews(this.#ended(this.#check));
    } catch (error) {
      if (this.#failed(journalError(error), this.#check.checked)) return;
    }
    this.#check = undefined;
    this.#in(lookMs);
  }

  /** A clock that is behind the last time knows nothing of how long ago that was. */
  #isDue(): boolean {
    const { at } = this.#store.checkReport();
    const ago = at === undefined ? Number.NaN : Date.now() - new Date(at).getTime();
    return !(ago >= 0 && ago < dayMs);
  }

  #ended({ checked, unreadable }: JournalCheck): JournalCheckReport {
    const at = new Date();
    if (unreadable === 0) {
      this.#store.checked(at);
      return { state: 'ok', at: at.toISOString(), checked };
    }
    const reason = `${unreadable} events can't be read: their transactions wait for the operator`;
    return { state: 'damaged', at: at.toISOString(), checked, reason };
  }

  /** Whether that is the end of this journal. What the disk did not give may be there at the next look. */
  #failed(error: JournalError, checked: number): boolean {
    const isDamaged = error.code === 'corrupt';
    if (isDamaged) this.#store.damaged();
    this.#options.onNews({ state: 'damaged', at: new Date().toISOString(), checked, reason: error.message });
    if (isDamaged) this.#options.onDamage(error);
    return isDamaged;
  }
}
