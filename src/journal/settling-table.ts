import type { CurrencyCode } from '../base/domain/currency.ts';
import type { AcquirerId } from '../base/domain/identifiers.ts';
import type {
  AskedCurrency,
  ClosedBatch,
  CurrencyResult,
  ReopenedCurrency,
  SettlingBatch,
  SettlingTotal,
} from '../payment/events/settling-batch.ts';
import type { KindTotal, SettledBatch } from '../payment/events/settlement.ts';
import type { Changes } from './changes.ts';
import type { Statements } from './statements.ts';
import type { TraceTable } from './trace-table.ts';

/**
 * The number of questions to keep per currency. Late answers are minutes late at most, and a silent host is asked far
 * less often than this.
 */
const askedMax = 50;

/** For this long after closing, a late answer for a denied batch is still expected. */
const deniedMs = 86_400_000;

/** Values of the column `refused`: the host refused the batch, or rejected one transaction of its upload. */
const refusedWhole = 1;
const refusedOne = 2;

/**
 * Batches that are closed to new entries and wait for their acquirer's answer. Methods that write are called within a
 * commit.
 */
export class SettlingTable {
  readonly #statements: Statements;
  readonly #numbers: TraceTable;
  readonly #changes: Changes;

  constructor(statements: Statements, numbers: TraceTable, changes: Changes) {
    this.#statements = statements;
    this.#numbers = numbers;
    this.#changes = changes;
  }

  /** Changes with every event of the batch's transactions, and with every new transaction. */
  mark(acquirerId: AcquirerId, batch: number): number {
    const sql = 'SELECT max(last) AS mark FROM txn WHERE acquirer_id = ? AND batch = ?';
    const count = this.#numbers.lastCount(acquirerId, batch);
    return Number(this.#statements.all(sql, acquirerId, count)[0]?.['mark'] ?? 0);
  }

  close({
    acquirerId,
    batch,
    at,
    totals,
    currencies,
    mark,
    mayStayUnknown,
  }: ClosedBatch): 'closed' | 'changed' | 'occupied' {
    const { all, run } = this.#statements;
    const count = this.#numbers.lastCount(acquirerId, batch);
    if (this.mark(acquirerId, batch) !== mark) return 'changed';
    const waiting = mayStayUnknown ? '' : `OR reversal = 'queued' OR advice = 'queued'`;
    const sql = `SELECT id FROM txn WHERE acquirer_id = ? AND batch = ? AND set_aside IS NULL AND (ended = 0 ${waiting}) LIMIT 1`;
    if (all(sql, acquirerId, count).length > 0) return 'occupied';
    const keep = `UPDATE settling SET at = ?, totals = ?, currencies = ?, unread = 0
                  WHERE acquirer_id = ? AND batch = ? AND unread = 1 RETURNING seq`;
    if (all(keep, at, JSON.stringify(totals), JSON.stringify(currencies), acquirerId, count).length > 0)
      return 'closed';
    const next = 'UPDATE trace SET batch = batch + 1 WHERE acquirer_id = ? AND batch = ? RETURNING batch';
    if (all(next, acquirerId, count).length === 0) return 'changed';
    run(
      'INSERT INTO settling (acquirer_id, batch, number, at, totals, currencies) VALUES (?, ?, ?, ?, ?, ?)',
      acquirerId,
      count,
      batch,
      at,
      JSON.stringify(totals),
      JSON.stringify(currencies),
    );
    return 'closed';
  }

  batches(acquirerId: AcquirerId): SettlingBatch[] {
    const sql = 'SELECT * FROM settling WHERE acquirer_id = ? AND unread = 0 ORDER BY seq';
    return this.#statements.all(sql, acquirerId).map((row) => ({
      acquirerId,
      batch: Number(row['number']),
      at: String(row['at']),
      totals: JSON.parse(String(row['totals'])) as KindTotal[],
      currencies: JSON.parse(String(row['currencies'])) as SettlingBatch['currencies'],
      tries: Number(row['tries']),
      ...(typeof row['reason'] === 'string' ? { reason: row['reason'] } : {}),
      refused: row['refused'] !== 0,
      ...(row['refused'] === refusedOne ? { rejectsOne: true as const } : {}),
      ...(row['is_copy'] === 1 ? { isCopy: true as const } : {}),
    }));
  }

  /** Currencies that the bank had not settled, and that their host has settled since, or still may. */
  deniedBatches(acquirerId: AcquirerId): SettlingBatch[] {
    return this.#statements.all('SELECT * FROM denied WHERE acquirer_id = ?', acquirerId).map((row) => {
      const { result: _none, ...total } = JSON.parse(String(row['total'])) as SettlingTotal;
      const result = row['result'] as CurrencyResult | null;
      const currencies = [{ ...total, ...(result === null ? {} : { result }) }];
      return {
        acquirerId,
        batch: Number(row['number']),
        at: String(row['at']),
        totals: [],
        currencies,
        tries: 0,
        refused: false,
      };
    });
  }

  unreadBatches(acquirerId: AcquirerId): number[] {
    const sql = 'SELECT number FROM settling WHERE acquirer_id = ? AND unread = 1 ORDER BY seq';
    return this.#statements.all(sql, acquirerId).map((row) => Number(row['number']));
  }

  /**
   * Closes the open batch to new entries without reading it; the next settlement reads it. `number`: its number at the
   * host.
   */
  leave(acquirerId: AcquirerId, number: number, at: string): void {
    const sql = `INSERT INTO settling (acquirer_id, batch, number, at, totals, currencies, unread)
                 SELECT acquirer_id, batch, ?, ?, '[]', '[]', 1 FROM trace WHERE acquirer_id = ? AND EXISTS
                   (SELECT 1 FROM txn WHERE txn.acquirer_id = trace.acquirer_id AND txn.batch = trace.batch)`;
    this.#statements.run(sql, number, at, acquirerId);
  }

  /** Marks all waiting batches as parts of a restored older copy: what happened to them since is not known here. */
  markCopies(): void {
    this.#statements.run('UPDATE settling SET is_copy = 1');
  }

  /** The bank has not settled this currency: the host is asked for it again. */
  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): void {
    // A denied currency that the host agreed to after all: the bank denies it again.
    this.#statements.run(
      'DELETE FROM denied WHERE acquirer_id = ? AND number = ? AND currency = ? AND result IS NOT NULL',
      acquirerId,
      batch,
      currency,
    );
    this.#change(acquirerId, batch, currency, (each) => ({ ...each, isUnsettled: true }));
    this.#statements.run('UPDATE settling SET refused = 0 WHERE acquirer_id = ? AND number = ?', acquirerId, batch);
  }

  noteQuestion(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, { stan, trailer }: AskedCurrency): void {
    this.#change(acquirerId, batch, currency, ({ asked = [], ...each }) => ({
      ...each,
      asked: [...asked, { stan, trailer }].slice(-askedMax),
    }));
  }

  /** Stores the result, unless there is one already. */
  noteAnswer(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): void {
    const place = 'WHERE acquirer_id = ? AND number = ? AND currency = ?';
    if (result === 'CONFIRMED') this.#statements.run(`DELETE FROM denied ${place}`, acquirerId, batch, currency);
    else this.#statements.run(`UPDATE denied SET result = ? ${place}`, result, acquirerId, batch, currency);
    this.#change(acquirerId, batch, currency, (each) => ({ ...each, result }));
  }

  #change(
    acquirerId: AcquirerId,
    batch: number,
    currency: CurrencyCode,
    change: (open: SettlingTotal) => SettlingTotal,
  ): void {
    const found = this.batches(acquirerId).find((each) => each.batch === batch);
    const currencies = found?.currencies.map((each) =>
      each.currency === currency && each.result === undefined ? change(each) : each,
    );
    if (!currencies) return;
    const sql = 'UPDATE settling SET currencies = ? WHERE acquirer_id = ? AND number = ?';
    this.#statements.run(sql, JSON.stringify(currencies), acquirerId, batch);
  }

  /**
   * Moves a closed batch, or one currency of it, into the batch that is open now. Its other currencies stay in place.
   */
  reopen(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): void {
    const { run } = this.#statements;
    const closed = this.batches(acquirerId).find((each) => each.batch === batch);
    if (closed) this.#deny(closed, only?.currency);
    const found = only && closed;
    const kept = found?.currencies.filter(({ currency }) => currency !== only?.currency) ?? [];
    const move = `UPDATE txn SET batch = (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id)
                  WHERE acquirer_id = ? AND batch = ?`;
    const count = this.#numbers.lastCount(acquirerId, batch);
    this.#changes.noteMove(acquirerId, count, only?.ids);
    if (!only) run(move, acquirerId, count);
    for (const id of only?.ids ?? []) run(`${move} AND id = ?`, acquirerId, count, id);
    if (!found || kept.length === 0) {
      return run('DELETE FROM settling WHERE acquirer_id = ? AND number = ?', acquirerId, batch);
    }
    const totals = found.totals.filter(({ currency }) => currency !== only?.currency);
    const keep = 'UPDATE settling SET currencies = ?, totals = ? WHERE acquirer_id = ? AND number = ?';
    run(keep, JSON.stringify(kept), JSON.stringify(totals), acquirerId, batch);
  }

  /** Keeps the questions about these currencies: a late answer may still come. */
  #deny({ acquirerId, batch, at, currencies }: SettlingBatch, only: CurrencyCode | undefined): void {
    const sql = `INSERT OR REPLACE INTO denied (acquirer_id, number, currency, at, total) VALUES (?, ?, ?, ?, ?)`;
    for (const total of currencies) {
      const { currency, result, asked } = total;
      if (result !== undefined || !asked || (only !== undefined && currency !== only)) continue;
      this.#statements.run(sql, acquirerId, batch, currency, at, JSON.stringify(total));
    }
  }

  /** Notes a settlement's result for a batch: the batch is settled, or why it waits. */
  noteResult({ acquirerId, batch, result, reason = '', refused, rejectsOne }: SettledBatch, at: string): void {
    const { run } = this.#statements;
    if (result === 'FAILED') {
      const sql = 'UPDATE settling SET tries = tries + 1, reason = ?, refused = ? WHERE acquirer_id = ? AND number = ?';
      return run(sql, reason, rejectsOne ? refusedOne : refused ? refusedWhole : 0, acquirerId, batch);
    }
    run('DELETE FROM settling WHERE acquirer_id = ? AND number = ?', acquirerId, batch);
    // Late answers are minutes late at most.
    const old = new Date(new Date(at).getTime() - deniedMs).toISOString();
    run('DELETE FROM denied WHERE acquirer_id = ? AND result IS NULL AND at < ?', acquirerId, old);
    run(
      'INSERT INTO settled (acquirer_id, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at',
      acquirerId,
      at,
    );
  }

  settledAt(acquirerId: AcquirerId): string | undefined {
    const at = this.#statements.all('SELECT at FROM settled WHERE acquirer_id = ?', acquirerId)[0]?.['at'];
    return typeof at === 'string' ? at : undefined;
  }
}
