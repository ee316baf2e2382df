import { majorText, type Amount } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { PaymentScheme } from '../../base/domain/payment-scheme.ts';
import { isReturned, sumCashReturns } from './cash-returns.ts';
import { paymentSchemeOf } from './payment.ts';
import type { TransactionRecord } from './record.ts';
import { stands } from './transaction-status.ts';

/**
 * The state of an extra payment. toBeReturned: the wallet can't refund it, so the shop must give it back.
 * beingReturned: the terminal refunds it. returned: it has been given back.
 */
export type ExtraState = 'toBeReturned' | 'beingReturned' | 'returned';

/** A payment by a shown code that arrived after its transaction had continued without it. */
export interface ExtraPayment {
  /** The terminal's own transaction for this payment. */
  readonly id: TerminalTransactionId;
  readonly scheme: PaymentScheme;
  /** What is left to give back, if a part was refunded; otherwise all of it. */
  readonly amount: Amount;
  readonly state: ExtraState;
}

/**
 * The extra payment that this transaction of the terminal itself is; undefined if it is not, or no longer, an extra
 * payment. What refunds it later counts only if its tree was read too.
 */
export function extraPaymentOf(record: TransactionRecord): ExtraPayment | undefined {
  const { id, request, intent, amount } = record;
  if (!request.isStray || !intent || !('wallet' in intent)) return undefined;
  const state = stateOf(record);
  return state && { id, scheme: paymentSchemeOf(intent), amount: restOf(record, amount), state };
}

function restOf(record: TransactionRecord, amount: Amount): Amount {
  const minor = amount.minor - (record.givenBackLater?.minor ?? 0n) - sumCashReturns(record);
  return minor > 0n ? { ...amount, minor } : amount;
}

/** The extra payments of a transaction. Its unmatched approvals must have been read too. */
export function extraPaymentsOf({ unmatched = [] }: Pick<TransactionRecord, 'unmatched'>): readonly ExtraPayment[] {
  return unmatched.flatMap((approval) => extraPaymentOf(approval) ?? []);
}

/** For the POS: "HKD 30.00 by FPS is to be given back". */
export function extraText(payments: readonly ExtraPayment[]): string {
  return payments
    .map(({ scheme, amount, state }) => `${amount.currency} ${majorText(amount)} by ${scheme} ${words[state]}`)
    .join(', ');
}

const words: Readonly<Record<ExtraState, string>> = {
  toBeReturned: 'is to be given back',
  beingReturned: 'is being given back',
  returned: 'was given back',
};

/** A payment that can only be resolved by enquiry is an extra payment once its host has confirmed it. */
function stateOf(record: TransactionRecord): ExtraState | undefined {
  if (stands(record)) return openState(record);
  const { intent, reversal } = record;
  if (!intent || !('wallet' in intent) || intent.isFinal) return undefined;
  if (reversal === 'queued') return 'beingReturned';
  return reversal === 'acknowledged' ? 'returned' : undefined;
}

/** A wallet that could not refund may be able to now, by its present configuration. */
function openState(record: TransactionRecord): ExtraState {
  if (isReturned(record)) return 'returned';
  return record.givenBackLater?.isUndecided ? 'beingReturned' : 'toBeReturned';
}
