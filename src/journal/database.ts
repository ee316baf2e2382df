import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { openingError } from './failure.ts';
import { type Migrated, migrate, type MigrationOptions } from './migration.ts';
import { refuseCode } from './own-schema.ts';
import type { Statements } from './statements.ts';
import type { JournalIdentity } from './journal-identity.ts';

interface CommitParts {
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

  /** When this returns, the overwriting is on stable storage, and the files have no copy of the old content. */
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

/** The open journal file: SQLite with settings under which a returned commit survives a power cut. */
export class Database implements Statements {
  readonly #sqlite: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly migrated: Migrated;

  /** Throws JournalError. */
  constructor(file: string, options: MigrationOptions) {
    const { sqlite, ...migrated } = openDatabase(file, options);
    this.#sqlite = sqlite;
    this.migrated = migrated;
  }

  get schema(): number {
    return this.migrated.schema;
  }

  readonly all = (sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] =>
    this.#prepare(sql).all(...values);

  readonly each = (sql: string, ...values: SQLInputValue[]): Iterable<Record<string, unknown>> =>
    this.#prepare(sql).iterate(...values);

  readonly run = (sql: string, ...values: SQLInputValue[]): void => {
    this.#prepare(sql).run(...values);
  };

  readonly ids = (sql: string, ...values: SQLInputValue[]): TerminalTransactionId[] =>
    this.all(sql, ...values).map((row) => String(row['id']) as TerminalTransactionId);

  begin(): void {
    this.#sqlite.exec('BEGIN IMMEDIATE');
  }

  commit(): void {
    this.#sqlite.exec('COMMIT');
  }

  /** Does nothing if SQLite has already rolled back, or has committed. */
  rollBack(): void {
    if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
  }

  /**
   * Outside a commit: copies SQLite's log into the file and empties it, so that the log has no older copies of pages.
   */
  emptyLog(): void {
    const [done] = this.all('PRAGMA wal_checkpoint(TRUNCATE)');
    if (done?.['busy'] !== 0) throw new JournalError('storage', 'the log of the journal could not be emptied');
  }

  /** Checks every page. Throws JournalError 'corrupt'. */
  checkPages(): void {
    const [found] = this.all('PRAGMA quick_check(1)');
    if (found?.['quick_check'] !== 'ok') throw new JournalError('corrupt', 'the journal is damaged');
  }

  close(): void {
    this.#sqlite.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) this.#prepared.set(sql, (statement = this.#sqlite.prepare(sql)));
    return statement;
  }
}

/** By default SQLite creates files that all users may read, and its log with the permissions of the database. */
function keepForOwner(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) closeSync(openSync(file, 'ax', 0o600));
  else if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function openDatabase(file: string, options: MigrationOptions): Migrated & { readonly sqlite: DatabaseSync } {
  let database: DatabaseSync | undefined;
  try {
    keepForOwner(file);
    database = new DatabaseSync(file);
    // EXCLUSIVE: the lock keeps a second daemon off the same state, and a killed daemon leaves none behind. FULL: in
    // WAL mode NORMAL loses acknowledged commits at a power cut, FULL does not. secure_delete: what is deleted is
    // overwritten. trusted_schema: the schema in the file is not trusted.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE;
                   PRAGMA synchronous = FULL;
                   PRAGMA foreign_keys = ON;
                   PRAGMA secure_delete = ON;
                   PRAGMA journal_size_limit = 4194304;
                   PRAGMA trusted_schema = OFF;`);
    refuseCode(database);
    const migrated = migrate(database, options);
    // Set only after the version check, because it writes to a file in another mode.
    database.exec('PRAGMA journal_mode = WAL');
    return { ...migrated, sqlite: database };
  } catch (error) {
    database?.close();
    throw openingError(error, file);
  }
}
