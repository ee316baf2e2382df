import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import type { RecordTree } from '../transaction/standing.ts';

/** A transaction and all that came of it; nothing where there is none. A chain ends with a void, so it is short. */
export async function recordTree(id: TerminalTransactionId, journal: Journal): Promise<RecordTree | undefined> {
  const events = await journal.read(id);
  return events.length === 0 ? undefined : grown(transactionRecord(id, events), journal);
}

async function grown(record: TransactionRecord, journal: Journal): Promise<RecordTree> {
  const later: RecordTree[] = [];
  for (const { id, events } of await journal.later(record.id)) {
    later.push(await grown(transactionRecord(id, events), journal));
  }
  return { record, later };
}
