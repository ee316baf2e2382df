import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Accepted } from '../payment/events/accepted.ts';
import type { JournalledTransaction, StoredEvent } from '../payment/events/event.ts';
import type { Archive, Archived } from './archive.ts';
import type { EventLog } from './event-log.ts';
import { batchOf, lastSequence, type TraceTable } from './trace-table.ts';
import type { Statements } from './statements.ts';

export interface TransactionParts {
  readonly statements: Statements;
  readonly log: EventLog;
  readonly archive: Archive;
  readonly numbers: TraceTable;
}

/**
 * A row for each transaction. It is never removed, so that its identity is not used again. Its events are in the log,
 * or in the archive.
 */
export class Transactions {
  readonly #parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  /** Within a commit, directly before its first event: its place in the order of opening is that event's number. */
  add(id: TerminalTransactionId, { posId, messageId, originalId }: Accepted): void {
    const { statements } = this.#parts;
    const opened = lastSequence(statements) + 1;
    const sql = 'INSERT INTO txn (id, pos_id, message_id, original_id, opened) VALUES (?, ?, ?, ?, ?)';
    statements.run(sql, id, posId, messageId, originalId ?? null, opened);
  }

  find(posId: string, messageId: string): TerminalTransactionId | undefined {
    return this.#parts.statements.ids('SELECT id FROM txn WHERE pos_id = ? AND message_id = ?', posId, messageId)[0];
  }

  /** Also reads the archive. Throws JournalError 'archive' if its file is missing. */
  read(id: TerminalTransactionId): StoredEvent[] {
    const { log, archive, statements } = this.#parts;
    const events = log.read(id);
    if (events.length > 0) return events;
    const [row] = statements.all('SELECT archive, archive_at, archive_bytes FROM txn WHERE id = ?', id);
    const place = archivedPlace(row);
    return place ? [...archive.read(id, place).events] : [];
  }

  readAll(ids: readonly TerminalTransactionId[]): JournalledTransaction[] {
    return ids.map((id) => ({ id, events: this.read(id) }));
  }

  /**
   * All that refer to a transaction, in any number of steps, in the order of opening. One that ended before it had an
   * intent has moved nothing, and is left out: anybody may begin and cancel any number of them.
   */
  later(originalId: TerminalTransactionId): JournalledTransaction[] {
    const sql = `WITH RECURSIVE later (id) AS (
                   SELECT id FROM txn WHERE original_id = ? UNION
                   SELECT txn.id FROM later CROSS JOIN txn ON txn.original_id = later.id)
                 SELECT txn.id FROM later CROSS JOIN txn ON txn.id = later.id
                 WHERE ended = 0 OR acquirer_id IS NOT NULL ORDER BY opened`;
    return this.readAll(this.#parts.statements.ids(sql, originalId));
  }

  /** The last transaction with this trace number, in its present attempt or an earlier one. */
  findByTrace(acquirerId: AcquirerId, stan: number): TerminalTransactionId | undefined {
    const sql = `SELECT id, archive, opened FROM txn WHERE acquirer_id = ? AND stan = ?
                 UNION ALL SELECT id, archive, opened FROM attempt JOIN txn ON txn.id = attempt.txn_id
                   WHERE attempt.acquirer_id = ? AND attempt.stan = ?
                 ORDER BY opened DESC LIMIT 1`;
    const [row] = this.#parts.statements.all(sql, acquirerId, stan, acquirerId, stan);
    return row && row['archive'] === null ? (String(row['id']) as TerminalTransactionId) : undefined;
  }

  batchPage(acquirerId: AcquirerId, batch: number, after: string, limit: number): JournalledTransaction[] {
    const { statements, numbers } = this.#parts;
    const sql = `SELECT id FROM txn WHERE acquirer_id = ? AND batch = ?
                 AND opened > coalesce((SELECT opened FROM txn WHERE id = ?), 0) ORDER BY opened LIMIT ?`;
    return this.readAll(statements.ids(sql, acquirerId, numbers.lastCount(acquirerId, batch), after, limit));
  }

  presentBatch(id: TerminalTransactionId): number | undefined {
    return batchOf(this.#parts.statements.all('SELECT batch FROM txn WHERE id = ?', id)[0]?.['batch']).batch;
  }

  isSettled(id: TerminalTransactionId): boolean {
    const sql = 'SELECT id FROM txn JOIN trace USING (acquirer_id) WHERE id = ? AND txn.batch <> trace.batch';
    return this.#parts.statements.ids(sql, id).length === 1;
  }
}

/** The place in the archive, of a row with its columns; undefined if it is not there. */
export function archivedPlace(row: Record<string, unknown> | undefined): Archived | undefined {
  const file = row?.['archive'];
  if (typeof file !== 'string') return undefined;
  return { file, at: Number(row?.['archive_at']), bytes: Number(row?.['archive_bytes']) };
}
