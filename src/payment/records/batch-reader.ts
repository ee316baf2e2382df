import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalledTransaction } from '../events/event.ts';
import type { Journal } from '../contracts/journal.ts';
import { Batch } from './batch.ts';
import { readableRecord, type TransactionRecord } from './record.ts';

/** The number of transactions per call of the journal: a payment waits for one call at most. */
const pageSize = 200;

/** One transaction of a batch. */
export interface BatchEntry extends JournalledTransaction {
  /** Undefined if it can't be read. */
  readonly record?: TransactionRecord;
}

export type BatchPages = Pick<Journal, 'batchPage'>;
export type OpenBatches = Pick<Journal, 'openBatch' | 'batchPage'>;

/** Reads a batch in the order of acceptance, one page of the journal at a time. Rejects with JournalError. */
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

/** The content of a batch, and its transactions that can't be read. */
export interface ReadBatch {
  readonly batch: Batch;
  readonly unreadable: readonly JournalledTransaction[];
}

/** Reads the batch that takes the present payments. */
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
