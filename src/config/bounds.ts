import type { Bounds } from '../base/domain/capability.ts';
import type { Amounts } from './common-settings.ts';

/** The merchant's limits of one payment, as the domain has them. */
export function boundsOf(amounts: Amounts): Bounds {
  const minor = (units: number | undefined) => (units === undefined ? undefined : BigInt(units));
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, { minMinor, maxMinor }]) => [
      currency,
      { leastMinor: minor(minMinor), mostMinor: minor(maxMinor) },
    ]),
  );
}
