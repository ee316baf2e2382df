import type { Card } from './card.ts';
import { packed } from './digits.ts';

/** Tag 57 and the stripe: card number, separator D, expiry, service code, discretionary data, padded with F. */
export function track2(card: Card): Buffer {
  return packed(`${card.pan}D${card.expiry}${card.serviceCode}${card.track2Discretionary}`);
}

/** ISO/IEC 7813: the first digit of the service code is 2 or 6 if the card has a chip that must be used. */
export function prefersChip({ serviceCode }: Card): boolean {
  return serviceCode.startsWith('2') || serviceCode.startsWith('6');
}
