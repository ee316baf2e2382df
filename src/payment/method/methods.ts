import type { CollectMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { Intent } from '../events/intent.ts';
import type { MethodMode, PaymentMethod } from './payment-method.ts';
import { offeredKinds } from '../../base/domain/capability.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { Order } from './order.ts';
import type { CollectingMode, PaymentTerms } from '../transaction/terminal-capabilities.ts';

/** The payment methods of this terminal. */
export class Methods {
  /** In the order in which they are offered to the merchant. */
  readonly modes: readonly MethodMode[];
  readonly #all: readonly PaymentMethod[];

  constructor(all: readonly PaymentMethod[]) {
    this.#all = all;
    this.modes = all.flatMap(({ modes }) => modes);
  }

  /** Finds the method and the mode for a mode name. Throws if this terminal does not have it. */
  ofMode(name: CollectMode): { readonly method: PaymentMethod; readonly mode: MethodMode } {
    for (const method of this.#all) {
      const mode = method.modes.find((each) => each.mode === name);
      if (mode) return { method, mode };
    }
    throw new Error(`this terminal has no mode ${name}`);
  }

  /** The method with which a payment was made; undefined if this terminal does not have it any more. */
  ofIntent(intent: Intent): PaymentMethod | undefined {
    return this.#all.find((method) => method.owns(intent));
  }
}

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

/** The scheme fields of a mode that may lead to these schemes: those of them that some acquirer accepts. */
export function takesBrands(schemes: readonly PaymentScheme[]): Pick<CollectingMode, 'schemes' | 'schemesOf'> {
  return {
    schemes,
    schemesOf: (offers) => offers.flatMap(({ brands }) => brands).filter((each) => schemes.includes(each)),
  };
}

/** A sale without cashback, which only EPS offers. */
export function isPlainSale({ type, cashbackMinor }: PaymentTerms): boolean {
  return type === 'SALE' && cashbackMinor === undefined;
}
