import type { CardReference } from '../../payment/contracts/acquirer-host.ts';
import type { Dialect } from './dialect.ts';

/**
 * Field 3: `base` with the choices of a debit card's customer. A message that refers to an earlier card gets the same
 * code, because the reference keeps the choices. Throws RangeError for an unknown or missing choice.
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

/** The cashback amount in minor units; undefined also for zero. */
export function cashback({ cashbackMinor }: CardReference): bigint | undefined {
  return cashbackMinor === 0n ? undefined : cashbackMinor;
}
