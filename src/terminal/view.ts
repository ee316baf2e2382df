import type { SnapshotFrom } from 'xstate';
import { type Amount, majorText } from '../domain/amount.ts';
import type { ScreenView } from '../ports/screen.ts';
import type { transactionMachine } from '../transaction/machine.ts';
import { financialImpact, type TransactionRecord } from '../transaction/record.ts';

const retryHints: Readonly<Record<string, string>> = {
  collision: 'Please present one card only',
  'card-lost': 'Please hold the card until the beep',
  'read-error': 'Please present the card again',
};

/** What the screen shows while a transaction runs; nothing in its first and last states. */
export function runningView(snapshot: SnapshotFrom<typeof transactionMachine>, amount: Amount): ScreenView | undefined {
  const price = { amount: majorText(amount), currency: amount.currency };
  if (snapshot.matches({ collecting: 'presentingCard' })) {
    const { retryReason } = snapshot.context;
    const hint = retryReason === undefined ? undefined : retryHints[retryReason];
    return { scene: 'presentCard', ...price, ...(hint === undefined ? {} : { hint }) };
  }
  if (snapshot.matches('collecting') || snapshot.matches('authorizing')) return { scene: 'processing', ...price };
  return undefined;
}

/** The outcome, in words for the customer. */
export function outcomeView(record: TransactionRecord): ScreenView {
  const { amount, conclusion } = record;
  const price = { amount: majorText(amount), currency: amount.currency };
  const outcome = conclusion?.outcome ?? 'error';
  switch (outcome) {
    case 'approved':
      return { scene: 'approved', ...price };
    case 'declined':
      return { scene: 'declined', ...price, hint: 'Please use another card' };
    case 'error':
      return { scene: 'error', ...price, hint: errorHint(record) };
    default:
      return outcome satisfies never;
  }
}

/** The journal could not be asked how it ended. */
export function unknownView(amount: Amount): ScreenView {
  const hint = 'The outcome is not known yet, please ask the staff';
  return { scene: 'error', amount: majorText(amount), currency: amount.currency, hint };
}

function errorHint(record: TransactionRecord): string {
  const result = record.conclusion?.result;
  if (financialImpact(record) !== 'NONE') return 'The payment is being reversed, nothing will be charged';
  if (result === 'TRANSACTION_ALREADY_CANCEL') return 'Cancelled, nothing was charged';
  if (result === 'TIMEOUT') return 'No card was presented, nothing was charged';
  return 'Nothing was charged';
}
