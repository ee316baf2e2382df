import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import type { JournalledTransaction } from '../events/event.ts';
import { Batch, type BatchItem } from '../records/batch.ts';
import { readableRecord } from '../records/record.ts';

export type OpenBatches = Pick<Journal, 'openBatch' | 'batchPage'>;

const pageSize = 100;

/** What stands in an acquirer's open batch, and what of it can't be read. */
export async function openBatch(
  journal: OpenBatches,
  acquirer: AcquirerId,
): Promise<{ readonly items: readonly BatchItem[]; readonly unreadable: readonly JournalledTransaction[] }> {
  const number = await journal.openBatch(acquirer);
  const batch = new Batch();
  const unreadable: JournalledTransaction[] = [];
  for (let after: TerminalTransactionId | '' = ''; ; ) {
    const page = await journal.batchPage(acquirer, number, after, pageSize);
    for (const each of page) {
      const record = readableRecord(each.id, each.events);
      if (record) batch.add(record);
      else unreadable.push(each);
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return { items: batch.items, unreadable };
    after = last.id;
  }
}
