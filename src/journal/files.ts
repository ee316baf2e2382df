import { statSync } from 'node:fs';
import { JournalError } from '../payment/contracts/journal.ts';

/** A file as this process last saw it. */
interface Seen {
  readonly inode: string;
  /** Size and time of the last write: changes with each write. */
  readonly content: string;
}

/**
 * Watches the files of the open journal. A file that was unlinked or replaced can be written on, and everything is lost
 * when the process ends. A file that others have written to holds something other than what was committed. The files
 * are examined by name only, because closing a descriptor of the database would release SQLite's lock (fcntl(2)). A
 * same-size overwrite within one tick of the file system's clock (some milliseconds) is not detected.
 */
export class JournalFiles {
  readonly #file: string;
  #database: Seen | undefined;
  #log: Seen | undefined;

  /** For a database that was just opened. */
  constructor(file: string) {
    this.#file = file;
    this.#database = look(file);
    this.#log = look(logOf(file));
  }

  /** Throws JournalError 'gone' if the files are not as this process left them. */
  check(): void {
    const [database, log] = this.#now();
    if (!isSame(database, this.#database) || !isSame(log, this.#log)) throw goneError();
  }

  /**
   * Called after the owner has written. Throws JournalError 'gone' if it wrote to files that the next start will not
   * find.
   */
  wrote(): void {
    const [database, log] = this.#now();
    // SQLite creates its log with the first commit, and keeps it.
    const isOwn = database?.inode === this.#database?.inode && (!this.#log || log?.inode === this.#log.inode);
    if (!isOwn) throw goneError();
    this.#database = database;
    this.#log = log;
  }

  #now(): [database: Seen | undefined, log: Seen | undefined] {
    return [look(this.#file), look(logOf(this.#file))];
  }
}

const logOf = (file: string) => `${file}-wal`;

function goneError(): JournalError {
  return new JournalError(
    'gone',
    'the files of the journal were removed, replaced or written by others while it was in use',
  );
}

function isSame(one: Seen | undefined, other: Seen | undefined): boolean {
  return one?.inode === other?.inode && one?.content === other?.content;
}

function look(file: string): Seen | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && { inode: `${found.dev} ${found.ino}`, content: `${found.size} ${found.mtimeNs}` };
}
