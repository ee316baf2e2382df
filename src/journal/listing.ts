import { type TerminalTransactionId, terminalTransactionId } from '../base/domain/identifiers.ts';
import type { ListedTransaction, ListQuery, ListSlice } from '../payment/contracts/listing.ts';
import type { Statements } from './statements.ts';
import { batchOf, type TraceTable } from './trace-table.ts';

/**
 * A slice ends at whichever limit comes first, so that a payment's commit waits for a few milliseconds at most: entries
 * of an index that are read, and rows that are looked up because their time fits.
 */
const entriesMax = 500;
const lookUpsMax = 250;

/** Reads the list of transactions in slices of bounded work, by an index. Archived transactions are in it too. */
export class Listing {
  readonly #statements: Statements;
  readonly #numbers: TraceTable;

  constructor(statements: Statements, numbers: TraceTable) {
    this.#statements = statements;
    this.#numbers = numbers;
  }

  /** `from`: the place after which it begins. */
  slice(query: ListQuery, from?: number): ListSlice {
    const isWithin = timeFilter(query);
    const found: ListedTransaction[] = [];
    let [entries, lookUps, place] = [0, 0, 0];
    for (const entry of this.#entries(query, from)) {
      entries += 1;
      place = Number(entry['opened']);
      const id = String(entry['id']) as TerminalTransactionId;
      if (!isWithin(id)) continue;
      lookUps += 1;
      const one = this.#lookUp(id, query);
      if (one) found.push({ ...one, place });
      if (found.length === query.limit || lookUps === lookUpsMax) return { found, next: place };
    }
    return entries < entriesMax ? { found } : { found, next: place };
  }

  /** Entries of an index in the order of the list; the table is not read. */
  #entries({ order, acquirerId, batch }: ListQuery, from: number | undefined): Iterable<Record<string, unknown>> {
    const isNewest = order === 'newest';
    const [sign, direction] = isNewest ? ['<', 'DESC'] : ['>', 'ASC'];
    const rest = `opened ${sign} ? ORDER BY opened ${direction} LIMIT ${entriesMax}`;
    const after = from ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0);
    if (acquirerId === undefined || batch === undefined) {
      return this.#statements.each(`SELECT id, opened FROM txn INDEXED BY txn_opened WHERE ${rest}`, after);
    }
    const sql = `SELECT id, opened FROM txn INDEXED BY txn_batch WHERE acquirer_id = ? AND batch = ? AND ${rest}`;
    return this.#statements.each(sql, acquirerId, this.#numbers.lastCount(acquirerId, batch), after);
  }

  /** Undefined if it does not belong to the list. */
  #lookUp(id: TerminalTransactionId, { posId, acquirerId }: ListQuery): Omit<ListedTransaction, 'place'> | undefined {
    const [row] = this.#statements.all('SELECT pos_id, message_id, acquirer_id, batch FROM txn WHERE id = ?', id);
    if (!row || (posId !== undefined && row['pos_id'] !== posId)) return undefined;
    if (acquirerId !== undefined && row['acquirer_id'] !== acquirerId) return undefined;
    return { id, posId: String(row['pos_id']), messageId: String(row['message_id']), ...batchOf(row['batch']) };
  }
}

/** Ids begin with their time, so they compare as times do. */
function timeFilter({ since, until }: ListQuery): (id: TerminalTransactionId) => boolean {
  const [first, end] = [since, until].map((at) => at && terminalTransactionId(at, new Uint8Array(10)));
  return (id) => (first === undefined || id >= first) && (end === undefined || id < end);
}
