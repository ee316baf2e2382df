import type { Journal } from '../contracts/journal.ts';
import type { CustomerMatter } from '../events/customer-matter.ts';
import { type ExtraPayment, type ExtraState, extraPaymentOf } from './extra-payments.ts';
import type { TransactionRecord } from './record.ts';
import { readableTree } from './record-tree.ts';
import type { RecordTree } from './transaction-status.ts';

type Reading = Pick<Journal, 'read' | 'later'>;

/** An extra payment that is not returned yet, and the terminal's own transaction for it. */
export interface OpenExtraPayment {
  readonly payment: ExtraPayment & { readonly state: Exclude<ExtraState, 'returned'> };
  readonly record: TransactionRecord;
}

/** A matter that the operator has not settled yet, and the transaction that it is about. */
export interface OpenCustomerMatter {
  readonly matter: CustomerMatter;
  readonly tree: RecordTree;
}

/** The extra payments that are not returned yet, in the order in which they were found. Rejects with JournalError. */
export async function readOpenExtras(
  journal: Reading & Pick<Journal, 'unmatched'>,
): Promise<readonly OpenExtraPayment[]> {
  const open: OpenExtraPayment[] = [];
  for (const id of await journal.unmatched()) {
    const record = (await readableTree(id, journal))?.record;
    const payment = record && extraPaymentOf(record);
    if (!payment) continue;
    const { state } = payment;
    if (state !== 'returned') open.push({ payment: { ...payment, state }, record });
  }
  return open;
}

/** The matters that the operator has not settled yet, in the order of the transactions. Rejects with JournalError. */
export async function readOpenMatters(
  journal: Reading & Pick<Journal, 'matters'>,
): Promise<readonly OpenCustomerMatter[]> {
  const open = new Map<string, OpenCustomerMatter>();
  for (const listed of await journal.matters()) {
    for (const matter of (await readableTree(listed, journal))?.record.matters ?? []) {
      const name = `${matter.id} ${matter.kind}`;
      if (matter.state !== 'open' || open.has(name)) continue;
      const tree = await readableTree(matter.id, journal);
      if (tree) open.set(name, { matter, tree });
    }
  }
  return [...open.values()];
}
