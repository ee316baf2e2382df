import { offeredKinds } from '../domain/capability.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import type { Order } from './order.ts';

/**
 * The first of those who may take the order, in the order of the configuration, that takes this scheme and kind. `bin`: the first six
 * digits, where there is a number. A card of two networks goes where that order says, or where the POS says.
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
