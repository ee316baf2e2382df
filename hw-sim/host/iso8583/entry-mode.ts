/** How a card was read. */
export type CardRead = 'chip' | 'stripe';

/**
 * The first two digits of field 22: 05 contact chip, 07 contactless chip, 90 stripe, 80 fallback to stripe
 * (openemv/emv-utils c29b155, src/emv_fields.h). The third says whether the terminal accepts PINs; it has no effect
 * here.
 */
const reads: ReadonlyMap<string, CardRead> = new Map([
  ['05', 'chip'],
  ['07', 'chip'],
  ['80', 'stripe'],
  ['90', 'stripe'],
]);

/** Undefined for a value that no card reader of this dialect reports. */
export function cardReadOf(field22: string): CardRead | undefined {
  return reads.get(field22.slice(0, 2));
}
