import { type Amount, isMinorDigits } from '../../base/domain/amount.ts';

/**
 * The tip that the customer has chosen, before anything is armed: the amount is that of the acceptance plus this tip.
 * Minor units as decimal digits; '0' for none.
 */
export interface TipChosen {
  readonly kind: 'tipChosen';
  readonly tipMinor: string;
}

interface Tipped {
  readonly amount: Amount;
  readonly request: { readonly amountMinor: string; readonly tipMinor?: string };
}

/** From here on the request has the amount that the customer agreed to: messages, receipts and sums use it. */
function withChosenTip<Each extends Tipped>(record: Each, event: TipChosen): Each {
  const tipMinor = BigInt(event.tipMinor);
  const amount = { ...record.amount, minor: record.amount.minor + tipMinor };
  const tip = tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() };
  return { ...record, amount, request: { ...record.request, amountMinor: amount.minor.toString(), ...tip } };
}

export const tipEvent = {
  since: 1,
  isWhole: ({ tipMinor }: { readonly tipMinor?: unknown }) => isMinorDigits(tipMinor),
  fold: withChosenTip,
};

/** A tip to choose, and the total with it, in major units as text. `percent`: of the amount, if it is a percentage. */
export interface ShownTip {
  readonly tip: string;
  readonly total: string;
  readonly percent?: number;
}

export const tipScreen = { scenes: ['chooseTip'], hints: ['tipNotPossible'] } as const;

/** The content of its scene; an outcome also shows `tip`. */
export interface TipView {
  /** The tip, part of the amount. */
  readonly tip?: string;
  /** chooseTip: the tips offered besides no tip; `amount` is without tip. */
  readonly tips?: readonly ShownTip[];
  /** chooseTip: the greatest amount that the customer may enter; absent if none may be entered. */
  readonly ownTipMost?: string;
  /** chooseTip: the entered amount, to be confirmed. */
  readonly ownTip?: ShownTip;
}

export type TipAction =
  /**
   * chooseTip: the tip is chosen, '0.00' for none, as the view names it: an amount that it does not offer is ignored.
   */
  | { readonly kind: 'tip'; readonly amount: string }
  /** chooseTip: an amount was entered, major units as text. The terminal offers it as `ownTip`. */
  | { readonly kind: 'ownTip'; readonly amount: string };
