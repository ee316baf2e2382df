import { majorText } from '../base/domain/amount.ts';
import { offeredKinds } from '../base/domain/capability.ts';
import type { MenuParts } from './menu-parts.ts';

/** The functions that the menu may offer on this terminal. */
export interface Rights {
  /** The greatest refund without its sale, in the currency that the operator types; absent without that right. */
  readonly refundMost?: string;
  /** An acquirer takes authorizations. */
  readonly holds: boolean;
}

export function rightsOf({
  refundRight,
  currency,
  profiles,
}: Pick<MenuParts, 'refundRight' | 'currency' | 'profiles'>): Rights {
  const most = refundRight[currency];
  const holds = profiles.some((each) => each.brands.some((brand) => offeredKinds(brand, [each]).includes('AUTH')));
  return { holds, ...(most === undefined ? {} : { refundMost: majorText({ minor: most, currency }) }) };
}
