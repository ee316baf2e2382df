import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../events/event.ts';
import { withFormat, parseEvent } from '../events/format.ts';
import { projectEvent } from './projection.ts';
import type { Statements } from './statements.ts';
import type { TraceTable } from './trace-table.ts';

/** The events of all transactions, in the order of writing. */
export class EventLog {
  readonly #statements: Statements;
  readonly #numbers: TraceTable;
  readonly #now: () => Date;

  constructor(statements: Statements, numbers: TraceTable, now: () => Date) {
    this.#statements = statements;
    this.#numbers = numbers;
    this.#now = now;
  }

  /** Within a commit: appends an event, and updates the columns of its transaction. */
  append(id: TerminalTransactionId, event: JournalEvent): void {
    const body = JSON.stringify(withFormat(event));
    const sql = 'INSERT INTO event (txn_id, at, body) VALUES (?, ?, ?)';
    this.#statements.run(sql, id, this.#now().toISOString(), body);
    projectEvent(id, event, this.#statements, this.#numbers);
  }

  /** Oldest first; empty if there is no such transaction, or if its events are in the archive. */
  read(id: TerminalTransactionId): StoredEvent[] {
    const rows = this.#statements.all('SELECT at, body FROM event WHERE txn_id = ? ORDER BY seq', id);
    return rows.map((row) => ({ at: String(row['at']), event: parseEvent(String(row['body'])) }));
  }

  /** Within a commit: removes events that were moved to the archive. */
  remove(id: TerminalTransactionId): void {
    this.#statements.run('DELETE FROM event WHERE txn_id = ?', id);
  }

  writtenAt(): string | undefined {
    const at = this.#statements.all('SELECT at FROM event ORDER BY seq DESC LIMIT 1')[0]?.['at'];
    return typeof at === 'string' ? at : undefined;
  }
}
