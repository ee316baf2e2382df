import { majorText } from './amount.ts';
import { isCurrencyCode } from './currency.ts';

/** An amount as a host gave it. `currency`: its code, or what the host has in place of one that exists. */
export interface GivenAmount {
  /** Minor units as decimal digits. */
  readonly amountMinor: string;
  readonly currency: string;
}

/** A message and its answer that do not agree in the amount (fields 4 and 49 of ISO 8583). */
export interface ContradictedAmount {
  readonly sent: GivenAmount;
  readonly answered: GivenAmount;
}

/** For people: '30.00 HKD'. */
export function givenAmountText({ amountMinor, currency }: GivenAmount): string {
  if (!isCurrencyCode(currency)) return `${amountMinor} (currency ${currency})`;
  return `${majorText({ minor: BigInt(amountMinor), currency })} ${currency}`;
}
