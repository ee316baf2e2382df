import { majorText } from './amount.ts';
import { isCurrencyCode } from './currency.ts';

/** An amount as a host sent it. `currency`: its code, or the content of the field if that is no existing currency. */
export interface GivenAmount {
  /** Minor units as decimal digits. */
  readonly amountMinor: string;
  readonly currency: string;
}

/** The amounts of a message and of its answer, which differ in amount or currency (fields 4 and 49 of ISO 8583). */
export interface ContradictedAmount {
  readonly sent: GivenAmount;
  readonly answered: GivenAmount;
}

/** For logs: 'sent for 30.00 HKD, answered for 20.00 HKD'. */
export function contradictionText({ sent, answered }: ContradictedAmount): string {
  return `sent for ${givenAmountText(sent)}, answered for ${givenAmountText(answered)}`;
}

/** For display: '30.00 HKD'. */
export function givenAmountText({ amountMinor, currency }: GivenAmount): string {
  if (!isCurrencyCode(currency)) return `${amountMinor} (currency ${currency})`;
  return `${majorText({ minor: BigInt(amountMinor), currency })} ${currency}`;
}

/** Formatted as a price: 'HKD 20.00'. */
export function partText({ amountMinor, currency }: GivenAmount): string {
  if (!isCurrencyCode(currency)) return `${currency} ${amountMinor}`;
  return `${currency} ${majorText({ minor: BigInt(amountMinor), currency })}`;
}
