import { existsSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalledTransaction, StoredEvent } from '../payment/events/event.ts';
import { type ReasonOf, upgradeEvent } from '../payment/events/format.ts';
import { systemRandom } from '../base/ports/clock.ts';
import type { ListQuery } from '../payment/contracts/listing.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { JournalCheck } from './check.ts';
import { DirectoryLock } from './directory-lock.ts';
import { openingError } from './failure.ts';
import { JournalIdentity } from './journal-identity.ts';
import { readSchema, refuseUnusable } from './migration.ts';
import { refuseCode } from './own-schema.ts';
import type { Statements } from './statements.ts';
import { buildTables, type Tables } from './tables.ts';

/**
 * Reads a journal that no daemon uses. It writes, migrates and counts nothing in it. While it is open no daemon can
 * start on it.
 */
export class JournalReading {
  readonly #sqlite: DatabaseSync;
  readonly #lock: DirectoryLock | undefined;
  readonly #tables: Tables;
  readonly #statements: Statements;
  readonly #reasonOf: ReasonOf;
  /** SQLite's index of its log, if this opening has made it. */
  readonly #made: string | undefined;
  /** Why it is not the journal that was last used here, in a sentence; undefined if it is. */
  readonly putBack: string | undefined;

  /** Throws what SQLite throws, or JournalError. */
  private constructor(file: string, lock: DirectoryLock | undefined, reasonOf: ReasonOf) {
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    this.#lock = lock;
    this.#reasonOf = reasonOf;
    this.#made = hasLog && !existsSync(`${file}-shm`) ? `${file}-shm` : undefined;
    this.#sqlite = new DatabaseSync(addressOf(file, hasLog), { readOnly: true });
    try {
      this.#sqlite.exec('PRAGMA trusted_schema = OFF');
      refuseCode(this.#sqlite);
      const schema = readSchema(this.#sqlite);
      refuseUnusable(schema, 'start this version once, then stop it');
      const statements = readStatements(this.#sqlite, schema);
      this.#statements = statements;
      const now = new Date();
      this.#tables = buildTables(statements, path.dirname(file), () => now, systemRandom);
      this.putBack = new JournalIdentity(file, hasLog, statements, now).putBack;
    } catch (error) {
      this.#closeFiles();
      throw error;
    }
  }

  /**
   * Undefined if there is no journal, and never was one. Rejects with JournalError: 'in-use' while a daemon runs on it,
   * 'gone' if only the file beside it is there.
   */
  static async open(
    file: string,
    reasonOf: ReasonOf,
    lockOf: (file: string) => Promise<DirectoryLock | undefined> = (each) => DirectoryLock.take(each),
  ): Promise<JournalReading | undefined> {
    for (const each of [file, `${file}-wal`, `${file}-shm`]) refuseIrregular(each);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) {
      const { dir, name } = path.parse(file);
      if (!existsSync(path.join(dir, `${name}.state`))) return undefined;
      throw new JournalError('gone', `${file} is missing, but there was a journal: what it had can't be known here`);
    }
    const lock = await lockOf(file);
    try {
      return new JournalReading(file, lock, reasonOf);
    } catch (error) {
      lock?.release();
      throw openingError(error, file);
    }
  }

  /** Opens a copy that no other process uses. It needs no lock, and so starts no program. */
  static openCopy(file: string, reasonOf: ReasonOf): Promise<JournalReading | undefined> {
    return JournalReading.open(file, reasonOf, async () => undefined);
  }

  async unfinished(): Promise<readonly TerminalTransactionId[]> {
    return this.#tables.queues.unfinished();
  }

  async pending() {
    return this.#tables.queues.pending();
  }

  async closedOrders() {
    return this.#tables.queues.closedOrders();
  }

  async unmatched() {
    return this.#tables.queues.unmatched();
  }

  async matters() {
    return this.#tables.queues.matters();
  }

  async discrepancies() {
    return this.#tables.discrepancies.open();
  }

  async rejectedAdvices(acquirerId: AcquirerId) {
    return this.#tables.queues.rejectedAdvices(acquirerId);
  }

  async setAside(acquirerId: AcquirerId) {
    return this.#tables.queues.setAside(acquirerId);
  }

  async acquirers() {
    return this.#tables.numbers.acquirers();
  }

  async openBatch(acquirerId: AcquirerId) {
    return this.#tables.numbers.openBatch(acquirerId);
  }

  async settlingBatches(acquirerId: AcquirerId) {
    return this.#tables.settling.batches(acquirerId);
  }

  async deniedBatches(acquirerId: AcquirerId) {
    return this.#tables.settling.deniedBatches(acquirerId);
  }

  async unreadBatches(acquirerId: AcquirerId) {
    return this.#tables.settling.unreadBatches(acquirerId);
  }

  async settledAt(acquirerId: AcquirerId) {
    return this.#tables.settling.settledAt(acquirerId);
  }

  async settlementsAfter(id: TerminalTransactionId) {
    return this.#tables.settlements.after(id);
  }

  async batchPage(acquirerId: AcquirerId, batch: number, after: TerminalTransactionId | '', limit: number) {
    const page = this.#tables.transactions.batchPage(acquirerId, batch, after, limit);
    return page.map(({ id, events }): JournalledTransaction => ({ id, events: this.#upgrade(events) }));
  }

  async later(originalId: TerminalTransactionId) {
    const later = this.#tables.transactions.later(originalId);
    return later.map(({ id, events }): JournalledTransaction => ({ id, events: this.#upgrade(events) }));
  }

  async listSlice(query: ListQuery, from?: number) {
    return this.#tables.listing.slice(query, from);
  }

  async read(id: TerminalTransactionId): Promise<readonly StoredEvent[]> {
    return this.#upgrade(this.#tables.transactions.read(id));
  }

  /** Checks every page. Returns the fault of one; undefined if there is none. */
  damage(): string | undefined {
    const found = this.#sqlite.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    return found === 'ok' ? undefined : String(found);
  }

  /** Reads every row in slices, and whether its indexes lead to it. */
  check(): JournalCheck {
    return new JournalCheck(this.#statements);
  }

  close(): void {
    this.#closeFiles();
    this.#lock?.release();
  }

  #closeFiles(): void {
    this.#sqlite.close();
    // A reader can't remove it, and it would belong to the user of this process.
    if (this.#made !== undefined) rmSync(this.#made, { force: true });
  }

  #upgrade(events: readonly StoredEvent[]): StoredEvent[] {
    return events.map((stored) => upgradeEvent(stored, this.#reasonOf));
  }
}

/** SQLite would wait for the other end of a FIFO. Throws JournalError. */
function refuseIrregular(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new JournalError('storage', `${file} is not a regular file`);
}

/**
 * Without a log the file is complete, and SQLite need not create a log to read it: `immutable` (sqlite.org/uri.html).
 * The lock of the directory keeps writers away.
 */
function addressOf(file: string, hasLog: boolean): string | URL {
  if (hasLog) return file;
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return address;
}

function readStatements(sqlite: DatabaseSync, schema: number): Statements {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const known = prepared.get(sql) ?? sqlite.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const all = (sql: string, ...values: SQLInputValue[]) => prepare(sql).all(...values);
  return {
    schema,
    all,
    // Not kept: a second iteration of one statement would end the first.
    each: (sql, ...values) => sqlite.prepare(sql).iterate(...values),
    run: () => {
      throw new JournalError('read-only', 'this journal is only read');
    },
    ids: (sql, ...values) => all(sql, ...values).map((row) => String(row['id']) as TerminalTransactionId),
  };
}
