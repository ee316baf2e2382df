import type { Authorization } from '../../transaction/machine.ts';
import type { Collected } from '../../method/collected.ts';
import type { AuthorizationParts, Order, Progress } from '../../method/order.ts';
import { walletByReference } from '../../method/wallet/by-reference.ts';
import type { WalletPayment } from '../../method/wallet/payment.ts';
import { cardAuthorized, cardByReference } from '../../method/card/authorize.ts';
import { cashTaken } from '../../method/cash/authorize.ts';
import { octopusAuthorized } from '../../method/octopus/authorize.ts';

/**
 * What was collected, to whoever decides on it. With nothing collected the order goes by its original. Rejects only when the
 * intent could not be written: then nothing was sent.
 */
export function authorized(
  order: Order,
  collected: Collected,
  wallet: WalletPayment,
  parts: AuthorizationParts,
  progress: Progress,
): Promise<Authorization> {
  const { card, code, octopus, tenderedMinor } = collected;
  if (card) return cardAuthorized(order, collected, parts);
  if (code) return wallet.scanned(code.scheme, code.text);
  if (octopus) return octopusAuthorized(order, octopus, parts, progress);
  if (tenderedMinor !== undefined) return cashTaken(order, tenderedMinor, parts);
  const original = order.original?.record.intent;
  return original && 'wallet' in original ? walletByReference(order, parts) : cardByReference(order, parts);
}
