import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Change, ChangeSlice } from '../payment/contracts/changes.ts';
import { lastSequence, batchOf } from './trace-table.ts';
import type { Statements } from './statements.ts';

/** Rows that one slice reads of each of the two tables: a commit waits for a millisecond. */
const rowsMax = 250;

/**
 * Everything that has ended, in the order of its last change. A transaction's place is its last event. A change without
 * an event has a row in `change`, with a number of the same sequence: a settlement that ended, a transaction that
 * counts in another batch now, and one whose events are in the archive. So a reader that continues from a place misses
 * no change, however late it does.
 */
export class Changes {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * The changes after `after`, oldest first. A transaction that has not ended is left out: its end is a later change.
   */
  slice(after: number): ChangeSlice {
    const events = this.#statements.all(
      `SELECT seq, slice.txn_id, at, batch,
         ended = 1 AND seq = coalesce(last, (SELECT max(seq) FROM older_event WHERE txn_id = txn.id)) AS is_last
       FROM (SELECT seq, txn_id, at FROM every_event WHERE seq > ? ORDER BY seq LIMIT ${rowsMax}) AS slice
       LEFT JOIN txn ON txn.id = slice.txn_id`,
      after,
    );
    const others = this.#statements.all(
      `SELECT seq, slice.txn_id, settlement_id, settlement.at, batch, settlement_id IS NOT NULL OR ended = 1 AS is_last
       FROM (SELECT seq, txn_id, settlement_id FROM change WHERE seq > ? ORDER BY seq LIMIT ${rowsMax}) AS slice
       LEFT JOIN txn ON txn.id = slice.txn_id LEFT JOIN settlement ON settlement.id = settlement_id`,
      after,
    );
    const ends = [events, others].map((rows) => (rows.length < rowsMax ? Number.POSITIVE_INFINITY : lastOf(rows)));
    const end = Math.min(...ends);
    const rows = [...events, ...others]
      .filter(({ seq }) => Number(seq) <= end)
      .toSorted((one, other) => Number(one['seq']) - Number(other['seq']));
    const changes = rows.filter((row) => row['is_last'] === 1).map(changeOf);
    return { changes, until: rows.length === 0 ? after : lastOf(rows), hasMore: Number.isFinite(end) };
  }

  /** Within the commit that ends a settlement. */
  noteSettlement(id: TerminalTransactionId): void {
    this.#statements.run('INSERT INTO change (seq, settlement_id) VALUES (?, ?)', this.#take(1), id);
  }

  /** Within a commit, before the transactions of this batch, as the column counts it, move to another one. */
  noteMove(acquirerId: string, count: number, only?: readonly TerminalTransactionId[]): void {
    const { ids } = this.#statements;
    const sql = 'SELECT id FROM txn WHERE acquirer_id = ? AND batch = ? ORDER BY opened';
    this.noteMoved(only ?? ids(sql, acquirerId, count));
  }

  /** Within a commit that moves these transactions to another batch. */
  noteMoved(moved: readonly TerminalTransactionId[]): void {
    const first = this.#take(moved.length);
    for (const [index, id] of moved.entries()) {
      this.#statements.run('INSERT INTO change (seq, txn_id) VALUES (?, ?)', first + index, id);
    }
  }

  /** Within the commit that removes the transaction's events: it keeps the place of the last of them. */
  noteArchived(id: TerminalTransactionId): void {
    const sql = `INSERT INTO change (seq, txn_id)
                 SELECT coalesce(last, (SELECT max(seq) FROM older_event WHERE txn_id = txn.id)), id FROM txn WHERE id = ?`;
    this.#statements.run(sql, id);
  }

  /** Returns the first of so many numbers, which no event gets any more. */
  #take(count: number): number {
    const last = lastSequence(this.#statements);
    this.#statements.run('UPDATE event_floor SET seq = ?', last + count);
    return last + 1;
  }
}

type Row = Record<string, unknown>;

const lastOf = (rows: readonly Row[]) => Math.max(...rows.map(({ seq }) => Number(seq)));

function changeOf(row: Row): Change {
  const seq = Number(row['seq']);
  const [settlement, time] = [row['settlement_id'], row['at']];
  const at = typeof time === 'string' ? { at: time } : {};
  if (typeof settlement === 'string')
    return { seq, kind: 'settlement', id: settlement as TerminalTransactionId, ...at };
  const id = String(row['txn_id']) as TerminalTransactionId;
  return { seq, kind: 'transaction', id, ...at, ...batchOf(row['batch']) };
}
