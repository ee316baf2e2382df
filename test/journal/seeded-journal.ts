import { createHash } from 'node:crypto';
import path from 'node:path';
import { acquirerId, terminalTransactionId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { Database } from '../../src/journal/database.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { buildTables, type Tables, writeIntent } from '../../src/journal/tables.ts';
import { systemRandom } from '../../src/base/ports/clock.ts';
import { accepted, draft } from './events.ts';

const EDC = acquirerId('EDC');
/** Sales of one transaction of SQLite: each commit of its own would take hours. */
const salesPerCommit = 20_000;
const spanMs = 300 * 86_400_000;
const amountMinor = 3_000n;
/** The terminal that test/bench configures. */
const books = { mid: '123456789012345', tid: '12345678' };

export interface Seed {
  /** Sales of settled batches. */
  readonly settled: number;
  readonly salesPerBatch: number;
  /** Sales of the batch that is open then. */
  readonly open: number;
}

/**
 * Adds sales to the journal in `file`, or begins it: each has the rows that the journal's own code writes for it, and
 * each batch was settled. Their identities are `posId` POS-1 and what `seededMessage` tells. The journal is left as after
 * an orderly end, read through. `from`: how many it had been given before.
 */
export function seedJournal(file: string, { settled, salesPerBatch, open }: Seed, from = 0): void {
  new JournalStore(file).close();
  const sales = settled + open;
  let now = new Date(Date.now() - (open === sales ? 0 : spanMs));
  const database = new Database(file, {});
  const tables = buildTables(database, path.dirname(file), () => now, systemRandom);
  database.begin();
  for (let each = 1; each <= sales; each++) {
    now = new Date(now.getTime() + (open === sales ? 0 : Math.floor(spanMs / sales)));
    addSale(tables, seededMessage(from + each), now);
    if (each <= settled && (each % salesPerBatch === 0 || each === settled)) {
      settle(tables, each % salesPerBatch === 0 ? salesPerBatch : each % salesPerBatch, now);
    }
    if (each % salesPerCommit !== 0) continue;
    database.commit();
    database.begin();
  }
  database.commit();
  database.close();
  const store = new JournalStore(file);
  store.life.markChecked(new Date());
  store.close();
}

/** Random as a till's are, so that their index is not written in its order; and the same in each run. */
export function seededMessage(ordinal: number): string {
  return createHash('sha256').update(`sale ${ordinal}`).digest('hex').slice(0, 32);
}

function addSale(tables: Tables, messageId: string, at: Date): void {
  const id: TerminalTransactionId = terminalTransactionId(at, systemRandom.bytes(10));
  const acceptance = { ...accepted(messageId), digest: createHash('sha256').update(messageId).digest('hex') };
  tables.transactions.add(id, acceptance);
  tables.log.append(id, acceptance);
  const { stan } = writeIntent(tables, id, { ...draft(), ...books });
  const outcome = { kind: 'approved', responseCode: '00', approvalCode: '123456' } as const;
  const rrn = String(stan).padStart(12, '0');
  tables.log.append(id, { kind: 'answered', outcome: { ...outcome, rrn, hostTime: '100000', hostDate: '0105' } });
  tables.log.append(id, { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' });
}

function settle({ numbers, settling, settlements }: Tables, count: number, now: Date): void {
  const [batch, at] = [numbers.openBatch(EDC), now.toISOString()];
  const id = terminalTransactionId(now, systemRandom.bytes(10));
  const total = { count, totalMinor: String(BigInt(count) * amountMinor) };
  const nothing = { count: 0, totalMinor: '0' };
  const totals = [{ kind: 'SALE', currency: 'HKD', ...total }] as const;
  const closed = settling.close({
    acquirerId: EDC,
    batch,
    at,
    totals,
    currencies: [{ currency: 'HKD', sales: total, refunds: nothing }],
    mark: settling.mark(EDC, batch),
    mayStayUnknown: false,
  });
  if (closed !== 'closed') throw new Error(`the batch was not closed, but ${closed}`);
  settlements.add({ id, posId: 'poid', messageId: id, digest: 'd', at });
  const result = { acquirerId: EDC, ...books, batch, result: 'BALANCED', totals } as const;
  settlements.end(id, [result], false);
  settling.noteResult(result, at);
}
