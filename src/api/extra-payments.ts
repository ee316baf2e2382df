import { majorNumber } from '../domain/amount.ts';
import { type ExtraState, extraPaymentsOf, extraText } from '../records/extra-payments.ts';
import type { TransactionRecord } from '../records/record.ts';

/** As answers and events name what is to become of an extra payment. */
export const extraStates = {
  toBeReturned: 'TO_BE_RETURNED',
  beingReturned: 'BEING_RETURNED',
  returned: 'RETURNED',
} as const satisfies Readonly<Record<ExtraState, string>>;

/** The field `extraPayments` of an answer; empty if the transaction has none. */
export function extraPayments(record: Pick<TransactionRecord, 'strays'>) {
  const extra = extraPaymentsOf(record).map(({ id, scheme, amount, state }) => ({
    paymentMethod: scheme,
    amount: majorNumber(amount),
    currency: amount.currency,
    state: extraStates[state],
    terminalTransactionId: id,
  }));
  return extra.length === 0 ? {} : { extraPayments: extra };
}

/** A payment that succeeded says so if its customer has also paid by a code that was on show before. */
export function paidTwice(record: Pick<TransactionRecord, 'strays'>): { readonly message?: string } {
  const extra = extraPaymentsOf(record);
  return extra.length === 0 ? {} : { message: `paid twice: ${extraText(extra)}` };
}
