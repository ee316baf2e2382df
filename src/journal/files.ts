import { statSync } from 'node:fs';
import { JournalError } from '../ports/journal.ts';

/** One file as its owner left it. */
interface Seen {
  readonly inode: string;
  /** Changes with whatever is written to it: size and time of the last writing. */
  readonly content: string;
}

/**
 * The files of a journal that is open. One that was unlinked or replaced can be written on for ever: all of it is lost when the process
 * ends. One that others have written to holds something else than what was committed. They are looked at by name only, because closing a
 * descriptor of the database would give up SQLite's lock (fcntl(2)). An overwriting of the same size within one tick of the file
 * system's clock, some milliseconds, is not seen.
 */
export class JournalFiles {
  readonly #file: string;
  #database: Seen | undefined;
  #log: Seen | undefined;

  /** Of a database that has just been opened. */
  constructor(file: string) {
    this.#file = file;
    this.#database = look(file);
    this.#log = look(logOf(file));
  }

  /** Throws JournalError 'gone' where they are not as they were left. */
  check(): void {
    const [database, log] = this.#now();
    if (!isSame(database, this.#database) || !isSame(log, this.#log)) throw goneError();
  }

  /** Their owner has written to them. Throws JournalError 'gone' where it wrote to others than those that the next start finds. */
  wrote(): void {
    const [database, log] = this.#now();
    // SQLite makes its log with the first commit, and keeps it.
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
