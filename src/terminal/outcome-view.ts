import { type Amount, majorText } from '../domain/amount.ts';
import { detailsOf, labelOf } from '../method/descriptions.ts';
import type { ScreenHint, ScreenView } from '../ports/screen.ts';
import { financialImpact } from '../records/impact.ts';
import type { TransactionRecord } from '../records/record.ts';
import { tipMinor } from '../records/standing.ts';
import { presentConclusion } from '../records/told.ts';

/** The outcome as the customer sees it. */
export function outcomeView(record: TransactionRecord): ScreenView {
  const { amount, request } = record;
  const tip = tipMinor(record);
  const shownTip = tip === 0n ? {} : { tip: majorText({ ...amount, minor: tip }) };
  const price = { ...priceOf(amount), kind: request.type, ...shownTip };
  const { outcome } = presentConclusion(record);
  const details = detailsOf(record).screen?.[outcome];
  switch (outcome) {
    case 'approved':
      return withLabel({ scene: 'approved', ...price, ...details });
    case 'declined':
      return { scene: 'declined', ...price, hint: declinedHint(record), ...details };
    case 'error':
      return { scene: 'error', ...price, hint: errorHint(record), ...details };
    default:
      return outcome satisfies never;
  }
}

/** Adds labels for codes that the page has no words for. */
export function withLabel(view: ScreenView): ScreenView {
  const { modes = [], mode = '', wallets = [], wallet = '' } = view;
  const named = [...modes, mode, ...wallets, wallet].flatMap((code) => {
    const label = labelOf(code);
    return label ? [[code, label] as const] : [];
  });
  return named.length === 0 ? view : { ...view, labels: Object.fromEntries(named) };
}

/** The view for a journal that can't be read for the outcome. */
export function unknownView(amount: Amount): ScreenView {
  return { scene: 'error', ...priceOf(amount), hint: 'askStaff' };
}

function declinedHint({ hostOutcome, reversal }: TransactionRecord): ScreenHint {
  if (reversal) return 'willBeReversed';
  if (hostOutcome?.kind !== 'declined') return 'useAnotherMethod';
  switch (hostOutcome.reason) {
    case 'insufficientValue':
      return 'insufficientValue';
    case 'insufficientFunds':
    case 'insufficientBalance':
      return 'insufficientFunds';
    default:
      return 'useAnotherMethod';
  }
}

function errorHint(record: TransactionRecord): ScreenHint {
  const { result, reason } = record.conclusion ?? {};
  const impact = financialImpact(record);
  if (impact === 'UNKNOWN') return 'askStaff';
  if (impact === 'REVERSAL_PENDING') return 'willBeReversed';
  if (reason === 'terminalRestarting') return 'restarting';
  if (result === 'TRANSACTION_ALREADY_CANCEL') return 'cancelled';
  return result === 'TIMEOUT' ? 'timedOut' : 'notCharged';
}

export function priceOf(amount: Amount): { amount: string; currency: string } {
  return { amount: majorText(amount), currency: amount.currency };
}
