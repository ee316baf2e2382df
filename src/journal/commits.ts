import type { Database } from './database.ts';
import type { JournalFiles } from './files.ts';
import type { JournalIdentity } from './journal-identity.ts';

export interface CommitParts {
  readonly database: Database;
  readonly files: JournalFiles;
  readonly life: JournalIdentity;
  /** Called when a commit has failed. */
  readonly onRollBack: () => void;
}

/** Commits only to the files that the next start will find. */
export class Commits {
  readonly #parts: CommitParts;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  /** When this returns, everything that `work` wrote is on stable storage. If it throws, nothing is. */
  commit<T>(work: () => T): T {
    const { database, onRollBack } = this.#parts;
    this.checkFiles();
    database.begin();
    try {
      const result = work();
      database.commit();
      this.#noteFiles();
      return result;
    } catch (error) {
      database.rollBack();
      // Pages that the failed commit has left in SQLite's log are this process's own writes too.
      this.#noteFiles();
      onRollBack();
      throw error;
    }
  }

  /** What was overwritten is on stable storage, and nowhere in the files any more, when this returns. */
  emptyLog(): void {
    this.checkFiles();
    try {
      this.#parts.database.emptyLog();
    } finally {
      this.#noteFiles();
    }
  }

  /** Throws JournalError 'gone' if others have replaced or written the files of this journal. */
  checkFiles(): void {
    this.#recordIfReplaced(() => this.#parts.files.check());
  }

  #noteFiles(): void {
    this.#recordIfReplaced(() => this.#parts.files.wrote());
  }

  /** The next start must know that the files are not those that were committed to. */
  #recordIfReplaced(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.life.markReplaced();
      throw error;
    }
  }
}
