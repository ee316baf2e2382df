import { majorNumber } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { ExtraPaymentEvent } from '../../payment/contracts/terminal-events.ts';
import {
  type ExtraPayment,
  type ExtraState,
  extraPaymentOf,
  extraPaymentsOf,
  extraText,
} from '../../payment/records/extra-payments.ts';
import { mattersText } from '../../payment/records/customer-matters.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { buildTree } from '../../payment/records/record-tree.ts';

/** The state of an extra payment, as answers and events name it. */
export const extraStates = {
  toBeReturned: 'TO_BE_RETURNED',
  beingReturned: 'BEING_RETURNED',
  returned: 'RETURNED',
} as const satisfies Readonly<Record<ExtraState, string>>;

/** The field `extraPayments` of an answer; empty if the transaction has none. */
export function extraPayments(record: Pick<TransactionRecord, 'strays'>) {
  const extra = extraPaymentsOf(record).map(extraFields);
  return extra.length === 0 ? {} : { extraPayments: extra };
}

/**
 * The message of a success whose customer has also paid by a code that was shown before, or with whom something is to be
 * settled.
 */
export function lateMessage(record: Pick<TransactionRecord, 'strays' | 'matters'>): { readonly message?: string } {
  const extra = extraPaymentsOf(record);
  const twice = extra.length === 0 ? '' : `paid twice: ${extraText(extra)}`;
  const message = [twice, mattersText(record.matters)].filter(Boolean).join('; ');
  return message === '' ? {} : { message };
}

/**
 * The events for the present states of the extra payments of a transaction, or for the extra payment that this
 * transaction of the terminal itself is. Empty if there is none. Rejects with JournalError, or UnreadableRecord.
 */
export async function extraPaymentEvents(
  id: TerminalTransactionId,
  journal: Pick<Journal, 'read' | 'later'>,
): Promise<readonly ExtraPaymentEvent[]> {
  const record = await recordOf(id, journal);
  const own = record && extraPaymentOf(record);
  const sale = own ? await recordOf(record.request.originalId ?? id, journal) : record;
  if (!sale) return [];
  const { posId, messageId } = sale.request;
  return (own ? [own] : extraPaymentsOf(sale)).map((payment) => ({
    posId,
    messageId,
    terminalTransactionId: sale.id,
    extraPayment: extraFields(payment),
  }));
}

async function recordOf(id: TerminalTransactionId, journal: Pick<Journal, 'read' | 'later'>) {
  return (await buildTree(id, journal))?.record;
}

function extraFields({ id, scheme, amount, state }: ExtraPayment): ExtraPaymentEvent['extraPayment'] {
  return {
    paymentMethod: scheme,
    amount: majorNumber(amount),
    currency: amount.currency,
    state: extraStates[state],
    terminalTransactionId: id,
  };
}
