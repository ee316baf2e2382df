import type { Random } from '../ports/clock.ts';
import { Archive } from './archive.ts';
import { EventLog } from './event-log.ts';
import { Queues } from './queues.ts';
import { Retention } from './retention.ts';
import { Settlements } from './settlements.ts';
import { SettlingTable } from './settling-table.ts';
import type { Statements } from './statements.ts';
import { TraceTable } from './trace-table.ts';
import { Transactions } from './transactions.ts';

/** What the journal stores, by noun. */
export interface Tables {
  readonly numbers: TraceTable;
  readonly log: EventLog;
  readonly transactions: Transactions;
  readonly queues: Queues;
  readonly settlements: Settlements;
  readonly settling: SettlingTable;
  readonly retention: Retention;
}

/** `dir`: where the archive lies. */
export function buildTables(statements: Statements, dir: string, now: () => Date, random: Random): Tables {
  const archive = new Archive(dir);
  const numbers = new TraceTable(statements, random);
  const log = new EventLog(statements, numbers, now);
  const transactions = new Transactions({ statements, log, archive, numbers });
  return {
    numbers,
    log,
    transactions,
    queues: new Queues(statements, numbers),
    settlements: new Settlements(statements),
    settling: new SettlingTable(statements, numbers),
    retention: new Retention({ statements, log, transactions, archive }),
  };
}

/**
 * Within the commit of an opening that found another journal than the one that was here before. Hosts have numbers and batches of this
 * terminal that this journal knows nothing of. The numbers go on elsewhere, and so do the batches: the open one is closed to new
 * entries. What was under way may have ended long ago, and was told, and what waits to be settled may be: nothing is taken back or
 * asked for without the bank's word.
 */
export function moveAway({ numbers, settling, queues, log }: Tables, at: string): void {
  for (const acquirerId of numbers.acquirers()) {
    settling.leave(acquirerId, numbers.openBatch(acquirerId), at);
    numbers.moveBatch(acquirerId);
  }
  settling.markCopies();
  const reversals = queues.pending().filter(({ message }) => message === 'reversal');
  const doubtful = new Set([...queues.unfinished(), ...reversals.map(({ id }) => id)]);
  for (const id of doubtful) log.append(id, { kind: 'numberTaken' });
}
