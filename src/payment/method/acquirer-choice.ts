import { offeredKinds } from '../../base/domain/capability.ts';
import type { PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { Order } from './order.ts';

/**
 * Selects the first acquirer among the order's takers, in configured order, that accepts this scheme and kind. `bin`:
 * the first six digits of the card number; absent where there is no number. A card of two networks goes to the first
 * configured acquirer, or to the one that the POS forces.
 */
export function selectAcquirer(
  { kind, takers }: Pick<Order, 'kind' | 'takers'>,
  scheme: PaymentScheme,
  bin?: string,
): AcquirerProfile | undefined {
  return takers.find(
    (profile) =>
      offeredKinds(scheme, [profile]).includes(kind) &&
      (!profile.bins || profile.bins.some((prefix) => bin?.startsWith(prefix))),
  );
}
