import { type Amount, majorText } from '../../base/domain/amount.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';
import { detailsOf, labelOf } from '../method/descriptions.ts';
import type { ScreenView } from '../contracts/screen.ts';
import type { TransactionRecord } from '../records/record.ts';
import { tipMinor } from '../records/transaction-status.ts';
import { presentConclusion } from '../records/present.ts';
import { merchantName, type Merchants, noMerchants } from '../transaction/merchants.ts';
import { type Collected, isCancelled, reportOutcome, reportUnknown } from './recovery.ts';

/** The outcome as the customer sees it. */
export function outcomeView(record: TransactionRecord, collected: Collected = { ways: [] }): ScreenView {
  const { amount, request } = record;
  const tip = tipMinor(record);
  const shownTip = tip === 0n ? {} : { tip: majorText({ ...amount, minor: tip }) };
  const { outcome } = presentConclusion(record);
  const { next, ...part } = detailsOf(record).screen?.[outcome] ?? {};
  const reported = { ...reportOutcome(record, collected), ...(next === undefined ? {} : { next }) };
  const view = {
    ...priceOf(amount),
    kind: request.type,
    ...shownTip,
    reported,
    ...(reported.next === 'waysThatWork' ? { ways: collected.ways } : {}),
    ...part,
  };
  return withLabel({ scene: outcome === 'error' && isCancelled(record) ? 'cancelled' : outcome, ...view });
}

/** Adds the merchant that is paid, if there are several. */
export function withMerchant(view: ScreenView, merchantId: string | undefined, merchants?: Merchants): ScreenView {
  const merchant = merchantName(merchantId, merchants ?? noMerchants);
  return merchant === undefined ? view : { ...view, merchant };
}

/** Adds labels for codes that the page has no words for. */
export function withLabel(view: ScreenView): ScreenView {
  const { modes = [], mode = '', ways = [], wallets = [], wallet = '' } = view;
  const named = [...modes, mode, ...ways, ...wallets, wallet].flatMap((code) => {
    const label = labelOf(code);
    return label ? [[code, label] as const] : [];
  });
  return named.length === 0 ? view : { ...view, labels: Object.fromEntries(named) };
}

/** The view for a journal that can't be read for the outcome. */
export function unknownView(amount: Amount, type: TransactionType): ScreenView {
  return { scene: 'error', ...priceOf(amount), kind: type, reported: reportUnknown(type) };
}

export function priceOf(amount: Amount): { amount: string; currency: string } {
  return { amount: majorText(amount), currency: amount.currency };
}
