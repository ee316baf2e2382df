import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../payment/events/event.ts';
import { isKnownAt, parseEvent, storedEvent, withFormat } from '../payment/events/format.ts';
import { countsNoLonger, findingOf, markCounted } from '../payment/records/evidence.ts';
import { isSettledAsPosted, type ProjectionParts, projectEvent } from './projection.ts';
import { lastSequence } from './trace-table.ts';
import type { Statements } from './statements.ts';

/** Numbers of a transaction's events, the last one first: each event knows the one before it. */
const links = `WITH RECURSIVE link (seq, previous) AS (
  SELECT event.seq, event.previous FROM txn JOIN event ON event.seq = txn.last WHERE txn.id = ?
  UNION SELECT event.seq, event.previous FROM link JOIN event ON event.seq = link.previous)`;

/**
 * The events of all transactions, in the order of writing (`seq`, which has gaps where transactions were archived).
 * Those of an earlier schema are in older_event; the view every_event has all.
 */
export class EventLog {
  readonly #statements: Statements;
  readonly #parts: ProjectionParts;
  readonly #now: () => Date;

  constructor(parts: ProjectionParts, now: () => Date) {
    this.#statements = parts.statements;
    this.#parts = parts;
    this.#now = now;
  }

  /** Within a commit: appends an event, links it to its transaction, and updates the transaction's columns. */
  append(id: TerminalTransactionId, event: JournalEvent): void {
    const { run, schema } = this.#statements;
    if (!isKnownAt(event.kind, schema)) throw new Error(`an event ${event.kind} needs a later schema than ${schema}`);
    const sql = `INSERT INTO event (seq, txn_id, previous, at, body)
                 VALUES (?, ?, (SELECT last FROM txn WHERE id = ?), ?, ?)`;
    const seq = lastSequence(this.#statements) + 1;
    run(sql, seq, id, id, this.#now().toISOString(), JSON.stringify(withFormat(this.#withBatch(id, event), schema)));
    run('UPDATE txn SET last = ? WHERE id = ?', seq, id);
    projectEvent(id, event, () => this.read(id), this.#parts);
  }

  /**
   * Evidence against the bank's answer after a settled batch has counted the transaction by that answer: only this
   * commit knows that no settlement comes between.
   */
  #withBatch(id: TerminalTransactionId, event: JournalEvent): JournalEvent {
    const finding = findingOf(event);
    if (finding === undefined || !countsNoLonger('posted', finding)) return event;
    return isSettledAsPosted(id, this.#statements) ? markCounted(event) : event;
  }

  /** Oldest first; empty if there is no such transaction, or if its events are in the archive. */
  read(id: TerminalTransactionId): StoredEvent[] {
    const sql = `${links} SELECT event.seq, at, body FROM link JOIN event ON event.seq = link.seq
                 UNION ALL SELECT seq, at, body FROM older_event WHERE txn_id = ? ORDER BY 1`;
    const rows = this.#statements.all(sql, id, id);
    return rows.map((row) => storedEvent(String(row['at']), parseEvent(String(row['body']))));
  }

  /** Within a commit: removes events that were moved to the archive. */
  remove(id: TerminalTransactionId): void {
    const { run } = this.#statements;
    run('UPDATE event_floor SET seq = ?', lastSequence(this.#statements));
    run(`${links} DELETE FROM event WHERE seq IN (SELECT seq FROM link)`, id);
    run('DELETE FROM older_event WHERE txn_id = ?', id);
    run('UPDATE txn SET last = NULL WHERE id = ?', id);
  }

  writtenAt(): string | undefined {
    const at = this.#statements.all('SELECT at FROM every_event ORDER BY seq DESC LIMIT 1')[0]?.['at'];
    return typeof at === 'string' ? at : undefined;
  }
}
