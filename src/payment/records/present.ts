import type { Amount } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import { buildTree } from './record-tree.ts';
import { type TransactionRecord, UnreadableRecord } from './record.ts';
import { presentStatus, type RecordTree, transactionStatus, stands } from './transaction-status.ts';

/** How later transactions have changed the amount. The record keeps the amount that was authorized. */
export interface PresentAmounts {
  /** The sum of its valid refunds; absent if there is none. */
  readonly refunded?: Amount;
  /** What was charged in the end, if a tip was adjusted or an authorization completed. Refunds are not subtracted. */
  readonly final?: Amount;
}

/** A transaction as it ended, with its present amounts. */
export interface Ended extends PresentAmounts {
  readonly record: TransactionRecord;
}

/** A transaction as an enquiry reports it now. */
export interface Present extends PresentAmounts {
  readonly status: ReturnType<typeof presentStatus>;
}

/** Rejects with JournalError, or UnreadableRecord. */
export async function readEnd(id: TerminalTransactionId, journal: Pick<Journal, 'read' | 'later'>): Promise<Ended> {
  const tree = await buildTree(id, journal);
  if (!tree) throw new UnreadableRecord(`transaction ${id} can't be read: the journal has nothing of it`);
  return { record: tree.record, ...presentAmounts(tree) };
}

export function presentOf(tree: RecordTree): Present {
  return { status: presentStatus(tree), ...presentAmounts(tree) };
}

export function presentAmounts(tree: RecordTree): PresentAmounts {
  const { record } = tree;
  const { voided, adjusted, completedWith, total, refundedMinor } = transactionStatus(tree);
  if (!stands(record) || voided) return {};
  const final = completedWith ?? (adjusted ? total : undefined);
  return {
    ...(refundedMinor > 0n ? { refunded: { ...record.amount, minor: refundedMinor } } : {}),
    ...(final ? { final } : {}),
  };
}
