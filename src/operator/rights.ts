import { majorText } from '../base/domain/amount.ts';
import { offeredKinds } from '../base/domain/capability.ts';
import type { Merchant } from '../payment/transaction/merchants.ts';
import type { MenuParts } from './menu-parts.ts';

/** The functions that the menu may offer on this terminal. */
export interface Rights {
  /** The greatest refund without its sale, in the currency that the operator types; absent without that right. */
  readonly refundMost?: string;
  /** The merchants, if there are several: a refund without its sale is made by one of them. */
  readonly merchants?: readonly Merchant[];
  /** An acquirer takes authorizations. */
  readonly holds: boolean;
}

export function rightsOf({
  refundRight,
  currency,
  profiles,
  merchants = [],
}: Pick<MenuParts, 'refundRight' | 'currency' | 'profiles' | 'merchants'>): Rights {
  const most = refundRight[currency];
  const holds = profiles.some((each) => each.brands.some((brand) => offeredKinds(brand, [each]).includes('AUTH')));
  const several = merchants.length > 1 ? { merchants } : {};
  return { holds, ...several, ...(most === undefined ? {} : { refundMost: majorText({ minor: most, currency }) }) };
}
