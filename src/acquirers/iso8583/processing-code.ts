import type { CardReference } from '../../ports/acquirer-host.ts';
import type { Dialect } from './dialect.ts';

/**
 * Field 3: `base` with what the customer of a debit card chose. A message that refers back to a card comes to the same, because
 * the reference keeps the choice. Throws RangeError for a choice that the host does not know, and for one that is missing.
 */
export function processingCode({ debit }: Dialect, base: string, card: CardReference): string {
  const cash = cashback(card);
  if (!debit) {
    if (card.account !== undefined || cash !== undefined)
      throw new RangeError('this host has no accounts and no cash back');
    return base;
  }
  if (card.account === undefined) throw new RangeError('this host needs an account');
  return (cash === undefined ? base.slice(0, 2) : debit.cashbackType) + debit.accounts[card.account] + base.slice(4);
}

/** The cash that the customer gets, in minor units; none is none, however it is said. */
export function cashback({ cashbackMinor }: CardReference): bigint | undefined {
  return cashbackMinor === 0n ? undefined : cashbackMinor;
}
