import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Discrepancy, JournalRestored } from '../payment/events/discrepancy.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import { discrepancySchema } from './schema.ts';
import type { Statements } from './statements.ts';

/**
 * Differences from the books of the banks, until the operator has settled them. Methods that write are called within a
 * commit.
 */
export class Discrepancies {
  readonly #statements: Statements;
  /** On a schema without the table, it is known until the next start. */
  #restored: (JournalRestored & { readonly number: 0; readonly at: string }) | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Not settled yet, the oldest first. */
  open(): Discrepancy[] {
    if (!this.#isStored) return this.#restored ? [this.#restored] : [];
    const sql = 'SELECT number, at, body FROM discrepancy WHERE settled_at IS NULL ORDER BY number';
    return this.#statements.all(sql).map((row) => {
      const content = JSON.parse(String(row['body'])) as Omit<Discrepancy, 'number' | 'at'>;
      return { ...content, number: Number(row['number']), at: String(row['at']) } as Discrepancy;
    });
  }

  /** The journal was put back and is not compared with the banks' books yet. */
  findCopy(): (JournalRestored & { readonly at: string }) | undefined {
    return this.open().findLast((each) => each.kind === 'journalRestored');
  }

  /** Whether the transaction was in a copy that was put back and is not compared with the banks' books yet. */
  isFromCopy(id: TerminalTransactionId): boolean {
    const lastEvent = this.findCopy()?.lastEvent ?? 0;
    const sql = 'SELECT 1 FROM txn WHERE id = ? AND opened <= ?';
    return this.#statements.all(sql, id, lastEvent).length > 0;
  }

  noteCopy(restored: JournalRestored, at: string): void {
    if (this.#isStored) this.#add(restored, at);
    else this.#restored = { ...restored, number: 0, at };
  }

  /** An earlier schema has the differences in the settlement alone, until the migration adds them. */
  noteDifferences({ acquirerId, batch, differences = [] }: SettledBatch, at: string): void {
    if (!this.#isStored) return;
    for (const each of differences) this.#add({ kind: 'booksDiffer', acquirerId, batch, ...each }, at);
  }

  /** Returns false if there is no such open one. */
  settle(number: number, session: string, at: string): boolean {
    if (!this.#isStored) return false;
    const sql = `UPDATE discrepancy SET settled_at = ?, session = ? WHERE number = ? AND settled_at IS NULL RETURNING number`;
    return this.#statements.all(sql, at, session, number).length > 0;
  }

  get #isStored(): boolean {
    return this.#statements.schema >= discrepancySchema;
  }

  #add(content: object, at: string): void {
    this.#statements.run('INSERT INTO discrepancy (at, body) VALUES (?, ?)', at, JSON.stringify(content));
  }
}
