import { statSync } from 'node:fs';
import { JournalError } from '../ports/journal.ts';

/**
 * The files of a journal that is open. One that was unlinked or replaced can be written on for ever: all of it is lost when the process
 * ends. They are looked at by name only, because closing a descriptor of the database would give up SQLite's lock (fcntl(2)).
 */
export class JournalFiles {
  readonly #file: string;
  readonly #opened: string | undefined;
  #log: string | undefined;

  /** Of a database that has just been opened. */
  constructor(file: string) {
    this.#file = file;
    this.#opened = inode(file);
    this.#log = inode(logOf(file));
  }

  /** Throws JournalError 'broken' where what is written would go to other files than those that the next start finds. */
  check(): void {
    const log = inode(logOf(this.#file));
    // SQLite makes its log with the first commit, and keeps it.
    this.#log ??= log;
    if (inode(this.#file) === this.#opened && log === this.#log) return;
    throw new JournalError('broken', 'the files of the journal were removed or replaced while it was in use');
  }
}

const logOf = (file: string) => `${file}-wal`;

function inode(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
