import type { JournalError } from '../payment/contracts/journal.ts';
import type { Erasing } from './erasing.ts';
import { journalError } from './failure.ts';
import { IdleWork } from './idle-work.ts';

/** How long the journal must be idle before card numbers are looked for. */
const idleMs = 2_000;
/** Maximum wait for an idle moment. After it, work is done between two calls. */
const latestMs = 3_600_000;
/** Card numbers and archived transactions per commit. */
const portion = 20;
/**
 * A card number is kept for this long after the last event of its transaction, even if it is settled: hosts send late
 * answers minutes after a request, and a late approval is reversed.
 */
export const lateMs = 86_400_000;

export interface EraserOptions {
  readonly erasing: Erasing;
  readonly now?: () => Date;
  readonly elapsedMs?: () => number;
  readonly onFailure: (fault: JournalError) => void;
  readonly lateMs?: number;
  readonly lookMs?: number;
}

/** Removes card numbers that nothing needs any more, in small portions while the journal is idle, or an hour late. */
export class Eraser {
  readonly #options: EraserOptions;
  readonly #idle: IdleWork;
  /** Events with card numbers that were needed when they were last looked at. */
  #needed: number[] = [];
  #queue: number[] = [];
  #after = 0;
  #isSearched = false;
  readonly #archives: Archives;

  constructor(options: EraserOptions) {
    this.#options = options;
    this.#archives = new Archives(options.erasing);
    const { elapsedMs } = options;
    this.#idle = new IdleWork(idleMs, () => this.#look(), { latestMs, ...(elapsedMs && { elapsedMs }) });
  }

  /** Notes a call of the journal. */
  noteCall(): void {
    this.#idle.noteCall();
  }

  stop(): void {
    this.#idle.stop();
  }

  /** One portion. Returns whether there is more to do now. */
  step(): boolean {
    const { erasing, now = () => new Date() } = this.#options;
    if (this.#queue.length > 0) {
      const before = new Date(now().getTime() - (this.#options.lateMs ?? lateMs));
      const needed = erasing.erase(this.#queue.slice(0, portion), before);
      this.#queue.splice(0, portion);
      this.#needed.push(...needed);
      return true;
    }
    if (!this.#isSearched) {
      const { events, last, isEnd } = erasing.find(this.#after);
      [this.#queue, this.#after, this.#isSearched] = [[...events], last, isEnd];
      return true;
    }
    if (this.#archives.step()) return true;
    // Also covers content that the previous process has overwritten, if it ended here, and content that was moved into
    // the archive.
    erasing.emptyLog();
    [this.#queue, this.#needed, this.#isSearched] = [this.#needed, [], false];
    return false;
  }

  #look(): number {
    const { lookMs = 3_600_000, onFailure } = this.#options;
    try {
      return this.step() ? 0 : lookMs;
    } catch (error) {
      // Nothing is lost: the rest is examined again.
      onFailure(journalError(error));
      return lookMs;
    }
  }
}

/**
 * The archive's files of earlier versions: their content moves into files without card numbers, and they are removed.
 */
class Archives {
  readonly #erasing: Erasing;
  /** The transaction after which to go on; undefined once all were looked at. */
  #after: string | undefined = '';
  readonly #kept = new Set<string>();
  #removing: { readonly file: string; readonly from: number } | undefined;

  constructor(erasing: Erasing) {
    this.#erasing = erasing;
  }

  /** One portion. Returns whether there is more to do now. */
  step(): boolean {
    const files = this.#erasing.files().filter((file) => !this.#kept.has(file));
    if (files.length === 0) return false;
    if (this.#after !== undefined) {
      const { next, kept } = this.#erasing.renew(this.#after, portion);
      for (const file of kept) this.#kept.add(file);
      this.#after = next;
      return true;
    }
    const { file = files[0] ?? '', from = 0 } = this.#removing ?? {};
    const next = this.#erasing.remove(file, from);
    this.#removing = next === undefined ? undefined : { file, from: next };
    return true;
  }
}
