import type { TerminalTransactionId, TraceNumbers } from '../base/domain/identifiers.ts';
import type { JournalEvent } from '../payment/events/event.ts';
import type { IntentDraft } from '../payment/events/intent.ts';
import type { Random } from '../base/ports/clock.ts';
import { Archive } from './archive.ts';
import { ArchiveRenewal } from './archive-renewal.ts';
import { CardNumbers } from './card-numbers.ts';
import { Changes } from './changes.ts';
import { Discrepancies } from './discrepancies.ts';
import { EventLog } from './event-log.ts';
import { Families } from './families.ts';
import { Listing } from './listing.ts';
import { Queues } from './queues.ts';
import { Retention } from './retention.ts';
import { Settlements } from './settlements.ts';
import { SettlingTable } from './settling-table.ts';
import type { Statements } from './statements.ts';
import { TraceTable } from './trace-table.ts';
import { Transactions } from './transactions.ts';

/** The tables of the journal. */
export interface Tables {
  readonly numbers: TraceTable;
  readonly log: EventLog;
  readonly transactions: Transactions;
  readonly changes: Changes;
  readonly listing: Listing;
  readonly queues: Queues;
  readonly settlements: Settlements;
  readonly settling: SettlingTable;
  readonly discrepancies: Discrepancies;
  readonly retention: Retention;
  readonly cardNumbers: CardNumbers;
  readonly renewal: ArchiveRenewal;
  readonly archive: Archive;
}

/** `dir`: the directory of the archive. */
export function buildTables(statements: Statements, dir: string, now: () => Date, random: Random): Tables {
  const archive = new Archive(dir, statements.schema);
  const numbers = new TraceTable(statements, random);
  const changes = new Changes(statements);
  const log = new EventLog({ statements, numbers, changes }, now);
  const transactions = new Transactions({ statements, log, archive, numbers });
  const families = new Families(statements, transactions);
  return {
    archive,
    numbers,
    log,
    transactions,
    changes,
    listing: new Listing(statements, numbers),
    queues: new Queues(statements, numbers),
    settlements: new Settlements(statements, changes),
    settling: new SettlingTable(statements, numbers, changes),
    discrepancies: new Discrepancies(statements),
    retention: new Retention({ statements, log, families, archive, changes }),
    cardNumbers: new CardNumbers(statements, families),
    renewal: new ArchiveRenewal(statements, archive),
  };
}

/** Within a commit: assigns the next trace numbers, and appends the intent with them, and `events`. */
export function writeIntent(
  { numbers, log }: Tables,
  id: TerminalTransactionId,
  { invoice, ...draft }: IntentDraft,
  events: readonly JournalEvent[] = [],
): TraceNumbers {
  const trace = numbers.nextNumbers(draft.acquirerId, invoice);
  for (const event of [{ kind: 'intent', ...draft, trace } as const, ...events]) log.append(id, event);
  return trace;
}

/**
 * Within the commit of an opening that found another journal than before (I12). Hosts know numbers and batches of this
 * terminal that this journal does not know. So numbers and batches continue elsewhere, and the open batch is closed to
 * new entries. Transactions in flight may have ended and been reported long ago, and waiting batches may have been
 * settled: nothing is reversed or requested without the bank's confirmation. The operator must compare it with the
 * banks' books.
 */
export function moveAway({ numbers, settling, queues, log, discrepancies }: Tables, last: number, at: string): void {
  const lastAt = log.writtenAt();
  const isDated = lastAt === undefined ? {} : { lastAt };
  discrepancies.noteCopy({ kind: 'journalRestored', ...isDated, lastEvent: last }, at);
  for (const acquirerId of numbers.acquirers()) {
    settling.leave(acquirerId, numbers.openBatch(acquirerId), at);
    numbers.moveBatch(acquirerId);
  }
  settling.markCopies();
  const reversals = queues.pending().filter(({ message }) => message === 'reversal');
  const doubtful = new Set([...queues.unfinished(), ...reversals.map(({ id }) => id)]);
  for (const id of doubtful) log.append(id, { kind: 'numberTaken' });
}
