import type { Amount } from '../../base/domain/amount.ts';

/**
 * What the customer chose when asked for a tip, before anything is armed: the amount is that of the acceptance plus this
 * tip. Minor units as decimal digits; '0' for none.
 */
export interface TipChosen {
  readonly kind: 'tipChosen';
  readonly tipMinor: string;
}

interface Tipped {
  readonly amount: Amount;
  readonly request: { readonly amountMinor: string; readonly tipMinor?: string };
}

/** From here on the request is the one that the customer agreed to: messages, receipts and sums go by it. */
export function withChosenTip<Each extends Tipped>(record: Each, event: TipChosen): Each {
  const tipMinor = BigInt(event.tipMinor);
  const amount = { ...record.amount, minor: record.amount.minor + tipMinor };
  const tip = tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() };
  return { ...record, amount, request: { ...record.request, amountMinor: amount.minor.toString(), ...tip } };
}
