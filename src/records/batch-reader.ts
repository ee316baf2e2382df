import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalledTransaction } from '../events/event.ts';
import type { Journal } from '../ports/journal.ts';
import { Batch } from './batch.ts';
import { readableRecord, type TransactionRecord } from './record.ts';

/** A call of the journal never holds more of a batch than this: what is paid meanwhile waits behind it. */
const pageSize = 200;

/** One transaction of a batch. */
export interface BatchEntry extends JournalledTransaction {
  /** Nothing where it can't be read. */
  readonly record?: TransactionRecord;
}

export type BatchPages = Pick<Journal, 'batchPage'>;
export type OpenBatches = Pick<Journal, 'openBatch' | 'batchPage'>;

/** A batch, in the order in which its transactions came, a page of the journal at a time. Rejects with JournalError. */
export async function* readEntries(
  journal: BatchPages,
  acquirerId: AcquirerId,
  batch: number,
): AsyncGenerator<BatchEntry, void> {
  for (let after: TerminalTransactionId | '' = ''; ; ) {
    const page = await journal.batchPage(acquirerId, batch, after, pageSize);
    for (const each of page) {
      const record = readableRecord(each.id, each.events);
      yield record ? { ...each, record } : each;
    }
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** What stands in a batch, and what of it can't be read. */
export interface ReadBatch {
  readonly batch: Batch;
  readonly unreadable: readonly JournalledTransaction[];
}

/** The batch that takes what is paid now. */
export async function readOpenBatch(journal: OpenBatches, acquirerId: AcquirerId): Promise<ReadBatch> {
  return readBatch(journal, acquirerId, await journal.openBatch(acquirerId));
}

export async function readBatch(journal: BatchPages, acquirerId: AcquirerId, number: number): Promise<ReadBatch> {
  const batch = new Batch();
  const unreadable: JournalledTransaction[] = [];
  for await (const { id, events, record } of readEntries(journal, acquirerId, number)) {
    if (record) batch.add(record);
    else unreadable.push({ id, events });
  }
  return { batch, unreadable };
}
