import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import { readableTree } from './record-tree.ts';
import { readableRecord, type TransactionRecord } from './record.ts';
import { type RecordTree, transactionStatus, stands } from './transaction-status.ts';

const readAtOnce = 500;

type Reading = Pick<Journal, 'read' | 'later'>;

/**
 * Authorizations whose batch is settled, and that still hold a customer's money: they are completed or released after
 * the settlement too. Reads the whole journal. `isCounted`: the batch is still to be settled. Rejects with JournalError.
 */
export async function settledAuths(
  journal: Pick<Journal, 'listSlice' | 'read' | 'later'>,
  isCounted: (acquirerId: AcquirerId, batch: number) => boolean,
): Promise<TransactionRecord[]> {
  const found: TransactionRecord[] = [];
  for await (const one of readSettledAuths(journal, isCounted)) found.push(one);
  return found;
}

/** The same, one after the other, until `signal` ends it: then it rejects. */
export async function* readSettledAuths(
  journal: Pick<Journal, 'listSlice' | 'read' | 'later'>,
  isCounted: (acquirerId: AcquirerId, batch: number) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<TransactionRecord, void> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const slice = await journal.listSlice({ order: 'oldest', limit: readAtOnce }, from);
    for (const { id } of slice.found) {
      const tree = await presentTree(id, journal);
      const { request, intent } = tree?.record ?? {};
      if (tree && request?.type === 'AUTH' && intent && !isCounted(intent.acquirerId, intent.trace.batch)) {
        if (isHeldAuth(tree)) yield tree.record;
      }
    }
    from = slice.next;
    signal?.throwIfAborted();
  }
}

/** Whether it holds a customer's money now. */
export function isHeldAuth(tree: RecordTree): boolean {
  const { voided, completed } = transactionStatus(tree);
  return stands(tree.record) && !voided && !completed;
}

/** Of an authorization; undefined also for what is in an archive that is gone: that is too old. */
async function presentTree(id: TerminalTransactionId, journal: Reading): Promise<RecordTree | undefined> {
  try {
    const record = readableRecord(id, await journal.read(id));
    return record?.request.type === 'AUTH' ? await readableTree(id, journal) : undefined;
  } catch (error) {
    if (!(error instanceof JournalError && error.code === 'archive')) throw error;
    return undefined;
  }
}
