import type { Database } from './database.ts';
import type { JournalFiles } from './files.ts';
import type { Life } from './life.ts';

export interface CommitParts {
  readonly database: Database;
  readonly files: JournalFiles;
  readonly life: Life;
  /** A commit came to nothing. */
  readonly onRollBack: () => void;
}

/** Commits to the files that the next start will find, or to none. */
export class Commits {
  readonly #parts: CommitParts;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  /** All that `work` writes is on stable storage when this returns; nothing of it where it throws. */
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
      // What a commit that failed has left in the log is its own all the same.
      this.#noteFiles();
      onRollBack();
      throw error;
    }
  }

  /** Throws JournalError 'gone' where the files of this journal are not as it left them. */
  checkFiles(): void {
    this.#recordIfReplaced(() => this.#parts.files.check());
  }

  #noteFiles(): void {
    this.#recordIfReplaced(() => this.#parts.files.wrote());
  }

  /** The next start must know that what is there is not what was committed. */
  #recordIfReplaced(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.life.markReplaced();
      throw error;
    }
  }
}
