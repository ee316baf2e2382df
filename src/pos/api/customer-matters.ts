import { majorNumber } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { CustomerMatterEvent } from '../../payment/contracts/terminal-events.ts';
import type { CustomerMatter, MatterKind } from '../../payment/events/customer-matter.ts';
import { readMatters } from '../../payment/records/record-tree.ts';
import { type TransactionRecord, transactionRecord } from '../../payment/records/record.ts';

/** What is to be settled with the customer, as answers and events name it. */
export const matterNames = {
  refundOfReversed: 'REFUND_OF_REVERSED',
  countedLate: 'COUNTED_LATE',
  reversedLate: 'REVERSED_LATE',
  reversedAfterSettlement: 'REVERSED_AFTER_SETTLEMENT',
} as const satisfies Readonly<Record<MatterKind, string>>;

export const matterStates = { open: 'OPEN', settled: 'SETTLED' } as const;

/** The field `customerMatters` of an answer; absent if the transaction has none. */
export function customerMatterFields({ matters = [] }: Pick<TransactionRecord, 'matters'>) {
  return matters.length === 0 ? {} : { customerMatters: matters.map(fieldsOf) };
}

/**
 * The events for the present matters of a transaction and of its refunds: each for the POS of the transaction that it is
 * about. Empty if there is none. Rejects with JournalError, or UnreadableRecord.
 */
export async function customerMatterEvents(
  id: TerminalTransactionId,
  journal: Pick<Journal, 'read' | 'later'>,
): Promise<readonly CustomerMatterEvent[]> {
  const events: CustomerMatterEvent[] = [];
  for (const matter of await readMatters(id, journal)) {
    const { posId, messageId } = transactionRecord(matter.id, await journal.read(matter.id)).request;
    events.push({ posId, messageId, terminalTransactionId: matter.id, customerMatter: fieldsOf(matter) });
  }
  return events;
}

function fieldsOf({ id, kind, type, scheme, amount, state }: CustomerMatter): CustomerMatterEvent['customerMatter'] {
  return {
    kind: matterNames[kind],
    transactionType: type,
    paymentMethod: scheme,
    amount: majorNumber(amount),
    currency: amount.currency,
    state: matterStates[state],
    terminalTransactionId: id,
  };
}
