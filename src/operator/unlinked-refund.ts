import { parseMajor } from '../base/domain/amount.ts';
import { type CurrencyCode, isCurrencyCode } from '../base/domain/currency.ts';

/** The greatest refund that names no sale, by currency, in minor units. Without one there is no such refund. */
export type RefundRight = Readonly<Partial<Record<CurrencyCode, bigint>>>;

/** Why this refund exceeds the operator's right; undefined if it does not. */
export function refundRefusal(
  { amount, currency }: { readonly amount: string; readonly currency: string },
  right: RefundRight,
): 'noRefundRight' | 'aboveRefundRight' | undefined {
  const most = isCurrencyCode(currency) ? right[currency] : undefined;
  if (most === undefined || !isCurrencyCode(currency)) return 'noRefundRight';
  const wanted = parseMajor(amount, currency);
  // An invalid amount is refused by the payment interface, with a message.
  return typeof wanted !== 'string' && wanted.minor > most ? 'aboveRefundRight' : undefined;
}
