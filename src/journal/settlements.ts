import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalledSettlement, SettledBatch } from '../payment/events/settlement.ts';
import type { Changes } from './changes.ts';
import { merchantSchema } from './schema.ts';
import type { Statements } from './statements.ts';

/** Settlements that are read in one call. */
const pageMax = 50;

/** Settlements as they were requested, and their results. Methods that write are called within a commit. */
export class Settlements {
  readonly #statements: Statements;
  readonly #changes: Changes;

  constructor(statements: Statements, changes: Changes) {
    this.#statements = statements;
    this.#changes = changes;
  }

  add({ id, posId, messageId, digest, acquirerId, merchantId, at }: JournalledSettlement): void {
    const sql = `INSERT INTO settlement (id, pos_id, message_id, digest, acquirer_id, at, ordinal)
                 VALUES (?, ?, ?, ?, ?, ?, coalesce((SELECT max(ordinal) FROM settlement), 0) + 1)`;
    this.#statements.run(sql, id, posId, messageId, digest, acquirerId ?? null, at);
    if (merchantId === undefined || this.#statements.schema < merchantSchema) return;
    this.#statements.run('UPDATE settlement SET merchant_id = ? WHERE id = ?', merchantId, id);
  }

  end(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): void {
    const report = printsReport ? 'queued' : null;
    const sql = 'UPDATE settlement SET results = ?, report = ? WHERE id = ?';
    this.#statements.run(sql, JSON.stringify(results), report, id);
    this.#changes.noteSettlement(id);
  }

  markPrinted(id: TerminalTransactionId): void {
    this.#statements.run("UPDATE settlement SET report = 'printed' WHERE id = ?", id);
  }

  find(posId: string, messageId: string): JournalledSettlement | undefined {
    const sql = 'SELECT * FROM settlement WHERE pos_id = ? AND message_id = ?';
    return settlementOf(this.#statements.all(sql, posId, messageId)[0]);
  }

  read(id: TerminalTransactionId): JournalledSettlement | undefined {
    return settlementOf(this.#statements.all('SELECT * FROM settlement WHERE id = ?', id)[0]);
  }

  /** The first settlement after this one, in the order of requests, that settled this batch; undefined if none did. */
  settlingLater(id: TerminalTransactionId, acquirerId: AcquirerId, batch: number): JournalledSettlement | undefined {
    // Most rows are passed over without being parsed: the terminal retries for as long as a host is down.
    const sql = `SELECT * FROM settlement AS later WHERE ordinal > (SELECT ordinal FROM settlement WHERE id = ?)
                   AND instr(results, ?) > 0 AND EXISTS (SELECT 1 FROM json_each(later.results) AS each
                     WHERE each.value ->> 'acquirerId' = ? AND each.value ->> 'batch' = ?
                       AND each.value ->> 'result' <> 'FAILED')
                 ORDER BY ordinal LIMIT 1`;
    return settlementOf(this.#statements.all(sql, id, `"batch":${batch}`, acquirerId, batch)[0]);
  }

  after(id: TerminalTransactionId): JournalledSettlement[] {
    const sql = `SELECT * FROM settlement WHERE id > ? ORDER BY id LIMIT ${pageMax}`;
    return this.#statements.all(sql, id).flatMap((row) => settlementOf(row) ?? []);
  }

  latest(limit: number): JournalledSettlement[] {
    const sql = 'SELECT * FROM settlement WHERE ordinal > 0 ORDER BY ordinal DESC LIMIT ?';
    return this.#statements.all(sql, limit).flatMap((row) => settlementOf(row) ?? []);
  }

  unfinished(): JournalledSettlement[] {
    const rows = this.#statements.all('SELECT * FROM settlement WHERE results IS NULL ORDER BY id');
    return rows.flatMap((row) => settlementOf(row) ?? []);
  }
}

function settlementOf(row: Record<string, unknown> | undefined): JournalledSettlement | undefined {
  if (!row) return undefined;
  const results = row['results'];
  const { acquirer_id: acquirerId, merchant_id: merchantId } = row;
  return {
    id: String(row['id']) as TerminalTransactionId,
    posId: String(row['pos_id']),
    messageId: String(row['message_id']),
    digest: String(row['digest']),
    ...(typeof acquirerId === 'string' ? { acquirerId: acquirerId as AcquirerId } : {}),
    ...(typeof merchantId === 'string' ? { merchantId } : {}),
    at: String(row['at']),
    ...(typeof results === 'string' ? { results: JSON.parse(results) as SettledBatch[] } : {}),
  };
}
