import { type AcquirerId, ownPosIds, type TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { KeptOrder } from '../payment/events/event.ts';
import type { Pending } from '../payment/contracts/journal.ts';
import { matterSchema } from './schema.ts';
import type { Statements } from './statements.ts';
import type { TraceTable } from './trace-table.ts';

/**
 * Transactions that wait for their end, their host, the operator or the printer. A start finds them by columns and
 * indexes, however large the journal is.
 */
export class Queues {
  readonly #statements: Statements;
  readonly #numbers: TraceTable;

  constructor(statements: Statements, numbers: TraceTable) {
    this.#statements = statements;
    this.#numbers = numbers;
  }

  unfinished(): TerminalTransactionId[] {
    return this.#statements.ids('SELECT id FROM txn WHERE ended = 0 ORDER BY opened');
  }

  pending(): Pending[] {
    const sql = `SELECT id, acquirer_id, reversal FROM txn WHERE reversal = 'queued' OR advice = 'queued' ORDER BY queued`;
    return this.#statements.all(sql).map((row) => ({
      id: String(row['id']) as TerminalTransactionId,
      acquirerId: String(row['acquirer_id']) as AcquirerId,
      message: row['reversal'] === 'queued' ? 'reversal' : 'advice',
    }));
  }

  /** Whether a reversal or an advice waits for this acquirer. */
  isQueued(acquirerId: AcquirerId): boolean {
    const sql = `SELECT 1 FROM txn INDEXED BY txn_pending
                 WHERE (reversal = 'queued' OR advice = 'queued') AND acquirer_id = ? LIMIT 1`;
    return this.#statements.all(sql, acquirerId).length > 0;
  }

  closedOrders(): KeptOrder[] {
    return this.#statements.all('SELECT txn_id, acquirer_id, stan, looks FROM closed_order').map((row) => ({
      id: String(row['txn_id']) as TerminalTransactionId,
      acquirerId: String(row['acquirer_id']) as AcquirerId,
      stan: Number(row['stan']),
      looks: Number(row['looks']),
    }));
  }

  /** Uses the index of identities. Identities of a POS are not read. */
  unmatched(): TerminalTransactionId[] {
    const sql = 'SELECT id FROM txn WHERE pos_id = ? AND archive IS NULL ORDER BY opened';
    return this.#statements.ids(sql, ownPosIds.terminal);
  }

  /** Also those with nothing open any more: the records decide. */
  matters(): TerminalTransactionId[] {
    if (this.#statements.schema < matterSchema) return [];
    const sql = 'SELECT id FROM matter CROSS JOIN txn ON txn.id = txn_id WHERE archive IS NULL ORDER BY opened';
    return this.#statements.ids(sql);
  }

  rejectedAdvices(acquirerId: AcquirerId): TerminalTransactionId[] {
    const sql = `SELECT id FROM txn WHERE acquirer_id = ? AND advice = 'rejected' AND set_aside IS NULL AND archive IS NULL
                 ORDER BY opened`;
    return this.#statements.ids(sql, acquirerId);
  }

  setAside(acquirerId: AcquirerId): TerminalTransactionId[] {
    const sql = 'SELECT id FROM txn WHERE acquirer_id = ? AND batch = ? AND set_aside IS NOT NULL ORDER BY opened';
    return this.#statements.ids(sql, acquirerId, this.#numbers.openCount(acquirerId));
  }

  waitingReceipts(): { id: TerminalTransactionId; paper: 'receipt' | 'settlement' }[] {
    const sql = `SELECT id, 'receipt' AS paper FROM txn WHERE receipt = 'queued'
                 UNION ALL SELECT id, 'settlement' FROM settlement WHERE report = 'queued' ORDER BY id`;
    return this.#statements.all(sql).map((row) => ({
      id: String(row['id']) as TerminalTransactionId,
      paper: row['paper'] === 'receipt' ? 'receipt' : 'settlement',
    }));
  }
}
