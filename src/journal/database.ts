import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { openingError } from './failure.ts';
import { type Migrated, migrate, type MigrationOptions } from './migration.ts';
import type { Statements } from './statements.ts';

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

  /** Outside a commit: copies SQLite's log into the file and empties it, so that the log has no older copies of pages. */
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
    // overwritten.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE;
                   PRAGMA synchronous = FULL;
                   PRAGMA foreign_keys = ON;
                   PRAGMA secure_delete = ON;
                   PRAGMA journal_size_limit = 4194304;`);
    const migrated = migrate(database, options);
    // Set only after the version check, because it writes to a file in another mode.
    database.exec('PRAGMA journal_mode = WAL');
    return { ...migrated, sqlite: database };
  } catch (error) {
    database?.close();
    throw openingError(error, file);
  }
}
