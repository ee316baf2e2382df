import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { TraceNumbers } from '../ports/acquirer-host.ts';
import {
  type Accepted,
  type Intent,
  type IntentDraft,
  JournalError,
  type JournalEvent,
  type StoredEvent,
} from '../ports/journal.ts';
import { migrated } from './schema.ts';

/** Trace numbers are n6: after 999999 comes 1 (ISO 8583 field 11). */
const traceMax = 999_999;

/** The journal on SQLite, synchronous: it lives in a worker, so that no fsync ever runs on the loop that serves the reader. */
export class JournalStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #now: () => Date;

  constructor(path: string, now: () => Date = () => new Date()) {
    this.#now = now;
    this.#database = opened(path);
  }

  open(id: TerminalTransactionId, accepted: Accepted): { existing?: TerminalTransactionId } {
    return this.#commit(() => {
      const existing = this.find(accepted.posId, accepted.messageId);
      if (existing !== undefined) return { existing };
      this.#run('INSERT INTO txn (id, pos_id, message_id) VALUES (?, ?, ?)', id, accepted.posId, accepted.messageId);
      this.#write(id, accepted);
      return {};
    });
  }

  append(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    this.#commit(() => {
      for (const event of events) this.#write(id, event);
    });
  }

  intend(id: TerminalTransactionId, draft: IntentDraft): TraceNumbers {
    return this.#commit(() => {
      const trace = this.#nextTrace(draft.acquirerId);
      this.#write(id, { kind: 'intent', ...draft, trace } satisfies Intent);
      return trace;
    });
  }

  read(id: TerminalTransactionId): StoredEvent[] {
    return this.#all('SELECT at, body FROM event WHERE txn_id = ? ORDER BY seq', id).map((row) => ({
      at: String(row['at']),
      event: JSON.parse(String(row['body'])) as JournalEvent,
    }));
  }

  find(posId: string, messageId: string): TerminalTransactionId | undefined {
    return this.#ids('SELECT id FROM txn WHERE pos_id = ? AND message_id = ?', posId, messageId)[0];
  }

  unfinished(): TerminalTransactionId[] {
    return this.#ids('SELECT id FROM txn WHERE ended = 0 ORDER BY id');
  }

  pendingReversals(): { id: TerminalTransactionId; acquirerId: AcquirerId }[] {
    return this.#all("SELECT id, acquirer_id FROM txn WHERE reversal = 'queued' ORDER BY id").map((row) => ({
      id: String(row['id']) as TerminalTransactionId,
      acquirerId: String(row['acquirer_id']) as AcquirerId,
    }));
  }

  waitingReceipts(): TerminalTransactionId[] {
    return this.#ids("SELECT id FROM txn WHERE receipt = 'queued' ORDER BY id");
  }

  openBatch(acquirerId: AcquirerId): number {
    const [row] = this.#all('SELECT batch FROM trace WHERE acquirer_id = ?', acquirerId);
    return row ? Number(row['batch']) : 1;
  }

  close(): void {
    this.#database.close();
  }

  #nextTrace(acquirerId: AcquirerId): TraceNumbers {
    this.#run('INSERT INTO trace VALUES (?, 0, 0, 1) ON CONFLICT DO NOTHING', acquirerId);
    const [row] = this.#all(
      'UPDATE trace SET stan = stan % ? + 1, invoice = invoice % ? + 1 WHERE acquirer_id = ? RETURNING stan, invoice, batch',
      traceMax,
      traceMax,
      acquirerId,
    );
    return { stan: Number(row?.['stan']), invoice: Number(row?.['invoice']), batch: Number(row?.['batch']) };
  }

  /** An event, and what the columns say for the queries that a start needs. */
  #write(id: TerminalTransactionId, event: JournalEvent): void {
    this.#run(
      'INSERT INTO event (txn_id, at, body) VALUES (?, ?, ?)',
      id,
      this.#now().toISOString(),
      JSON.stringify(event),
    );
    switch (event.kind) {
      case 'intent':
        return this.#run('UPDATE txn SET acquirer_id = ? WHERE id = ?', event.acquirerId, id);
      case 'ended':
        return this.#run('UPDATE txn SET ended = 1 WHERE id = ?', id);
      case 'reversalQueued':
        return this.#run("UPDATE txn SET reversal = 'queued' WHERE id = ?", id);
      case 'reversalAcknowledged':
        return this.#run("UPDATE txn SET reversal = 'acknowledged' WHERE id = ?", id);
      case 'receiptQueued':
        return this.#run("UPDATE txn SET receipt = 'queued' WHERE id = ?", id);
      case 'receiptPrinted':
        return this.#run("UPDATE txn SET receipt = 'printed' WHERE id = ?", id);
      case 'accepted':
      case 'answered':
      case 'reversalSent':
        return;
      default:
        event satisfies never;
    }
  }

  #commit<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values);
  }

  #ids(sql: string, ...values: SQLInputValue[]): TerminalTransactionId[] {
    return this.#all(sql, ...values).map((row) => String(row['id']) as TerminalTransactionId);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function opened(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // Exclusive: the lock is the guard against a second daemon on the same state, and a killed one leaves none behind.
    // FULL: in WAL mode NORMAL loses acknowledged commits at a power cut, FULL does not.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE;
                   PRAGMA journal_mode = WAL;
                   PRAGMA synchronous = FULL;
                   PRAGMA foreign_keys = ON;
                   PRAGMA journal_size_limit = 4194304;`);
    if (!migrated(database)) throw new JournalError('newer', 'the journal was written by a newer version');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
