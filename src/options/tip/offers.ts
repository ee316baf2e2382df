import { type Amount, majorText, minorMax, percentOf } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { OptionRefusal } from '../../payment/options/sale-option.ts';

/** The tips that a customer is offered, by configuration. */
export interface TipTerms {
  /** Whole percentages of the amount, in the order in which they are offered. */
  readonly percents: readonly number[];
  /** By currency, minor units. */
  readonly amounts: Readonly<Partial<Record<CurrencyCode, readonly number[]>>>;
  /** The customer may enter an amount. */
  readonly ownAmount: boolean;
  /** The greatest tip, as a percentage of the amount. */
  readonly percentMax: number;
}

/** One tip that the customer may choose. */
export interface TipOffer {
  readonly tipMinor: bigint;
  /** Set where it is a percentage of the amount. */
  readonly percent?: number;
}

/** The tips that the customer may choose for one payment, besides no tip. */
export interface TipPlan {
  readonly offers: readonly TipOffer[];
  /** The greatest amount that the customer may enter; absent if none may be entered. */
  readonly ownMostMinor?: bigint;
}

/**
 * Plans the question for a tip, or returns why it can't be asked. `faultOf`: why the payment is impossible with a tip;
 * undefined if it is possible.
 */
export function planTips(
  base: Amount,
  terms: TipTerms | undefined,
  faultOf: (tipMinor: bigint) => OptionRefusal | undefined,
): TipPlan | OptionRefusal {
  const suggested = terms ? suggestions(base, terms) : [];
  if (!terms || (suggested.length === 0 && !terms.ownAmount)) {
    const message = `is not possible: this terminal has no tips to offer in ${base.currency}`;
    return { pointer: '/askTip', reason: 'tipQuestionNotSetUp', message };
  }
  const room = minorMax - base.minor;
  const allowed = percentOf(base.minor, terms.percentMax);
  const most = allowed < room ? allowed : room;
  const isPossible = (tipMinor: bigint) => tipMinor > 0n && tipMinor <= most && faultOf(tipMinor) === undefined;
  const offers = suggested.filter(({ tipMinor }) => isPossible(tipMinor));
  const ownMostMinor = terms.ownAmount ? greatest(most, isPossible) : 0n;
  if (offers.length === 0 && ownMostMinor === 0n) {
    const fault = most === 0n ? undefined : faultOf(1n);
    const size = room === 0n ? 'the amount is too large for a tip' : 'the amount is too small for a tip';
    const why = fault ? `with a tip, ${fault.pointer.slice(1)} ${fault.message}` : size;
    const message = `is not possible for this payment: ${why}`;
    return { pointer: '/askTip', reason: 'tipNotTaken', message };
  }
  return { offers, ...(ownMostMinor === 0n ? {} : { ownMostMinor }) };
}

/** The offer that an amount of the page stands for: one that was made, or none. Nothing else can be chosen. */
export function chosenTip(text: string, base: Amount, offers: readonly TipOffer[]): bigint | undefined {
  const made = [0n, ...offers.map(({ tipMinor }) => tipMinor)];
  return made.find((minor) => majorText({ ...base, minor }) === text);
}

/** Percentages before amounts, and no tip twice. A percentage is rounded to the nearest minor unit, half up. */
function suggestions({ minor, currency }: Amount, { percents, amounts }: TipTerms): TipOffer[] {
  const all: TipOffer[] = [
    ...percents.map((percent) => ({ percent, tipMinor: (minor * BigInt(percent) + 50n) / 100n })),
    ...(amounts[currency] ?? []).map((each) => ({ tipMinor: BigInt(each) })),
  ];
  return all.filter(({ tipMinor }, at) => all.findIndex((each) => each.tipMinor === tipMinor) === at);
}

/** The greatest number up to `most` that is possible, if with any all smaller ones are; 0 if none is. */
function greatest(most: bigint, isPossible: (value: bigint) => boolean): bigint {
  let [least, above] = [0n, most + 1n];
  while (above - least > 1n) {
    const middle = (least + above) / 2n;
    if (isPossible(middle)) least = middle;
    else above = middle;
  }
  return least;
}
