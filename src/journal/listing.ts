import { type TerminalTransactionId, timeOfId } from '../base/domain/identifiers.ts';
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
    const table = query.since || query.until ? acceptances : 'txn';
    const found: ListedTransaction[] = [];
    let [entries, lookUps, place] = [0, 0, 0];
    for (const entry of this.#entries(query, table, from)) {
      entries += 1;
      place = Number(entry['opened']);
      const id = String(entry['id']) as TerminalTransactionId;
      if (!isWithin(entry)) continue;
      lookUps += 1;
      const one = this.#lookUp(id, query);
      if (one) found.push({ ...one, place });
      if (found.length === query.limit || lookUps === lookUpsMax) return { found, next: place };
    }
    return entries < entriesMax ? { found } : { found, next: place };
  }

  /** Entries of an index in the order of the list; the table is read only for times. */
  #entries(
    { order, acquirerId, batch }: ListQuery,
    table: 'txn' | typeof acceptances,
    from: number | undefined,
  ): Iterable<Record<string, unknown>> {
    const isNewest = order === 'newest';
    const [sign, direction] = isNewest ? ['<', 'DESC'] : ['>', 'ASC'];
    const columns = table === 'txn' ? 'txn.id, opened' : 'txn.id, opened, event.at, txn.archive';
    const rest = `opened ${sign} ? ORDER BY opened ${direction} LIMIT ${entriesMax}`;
    const after = from ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0);
    const select = (index: string) => `SELECT ${columns} FROM ${table.replace('txn', `txn INDEXED BY ${index}`)}`;
    if (acquirerId === undefined || batch === undefined) {
      return this.#statements.each(`${select('txn_opened')} WHERE ${rest}`, after);
    }
    const sql = `${select('txn_batch')} WHERE acquirer_id = ? AND batch = ? AND ${rest}`;
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

/** Each transaction with its acceptance; without, if it is in the archive. */
const acceptances = 'txn LEFT JOIN event ON event.seq = opened AND event.txn_id = txn.id';

/** Of an archived transaction whose id and acceptance are of the same month: how far apart they may be. */
const archivedMs = 86_400_000;

/**
 * By the acceptance: a payment may have waited for it since its id was made, and the clock may have been set meanwhile.
 * Of an archived one only the month of the acceptance is at hand, as part of its file's name, and the time in the id.
 */
function timeFilter({ since, until }: ListQuery): (entry: Readonly<Record<string, unknown>>) => boolean {
  const exactly = isBetween(since?.toISOString(), until?.toISOString());
  const archived = isBetween(moveTime(since, -archivedMs), moveTime(until, archivedMs));
  const inMonths = isBetween(since?.toISOString().slice(0, 7), until?.toISOString());
  return ({ id, at, archive }) => {
    if (typeof at === 'string') return exactly(at);
    const idAt = timeOfId(String(id) as TerminalTransactionId)?.toISOString() ?? '';
    const month = /\d{4}-\d\d/.exec(String(archive))?.[0];
    return month === undefined || month === idAt.slice(0, 7) ? archived(idAt) : inMonths(month);
  };
}

function moveTime(time: Date | undefined, byMs: number): string | undefined {
  return time && new Date(Math.max(0, time.getTime() + byMs)).toISOString();
}

/** Times of ISO 8601 in UTC compare as their texts do. */
function isBetween(first: string | undefined, end: string | undefined): (at: string) => boolean {
  return (at) => (first === undefined || at >= first) && (end === undefined || at < end);
}
