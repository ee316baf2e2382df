import type { CardBrand } from '../domain/payment-method.ts';

/**
 * Registered application providers, the first five bytes of an application identifier (ISO/IEC 7816-5).
 * Values as in openemv/emv-utils, src/emv_fields.c.
 */
const brandOfProvider: ReadonlyMap<string, CardBrand> = new Map([
  ['A000000003', 'VISA'],
  ['A000000004', 'MASTER'],
  ['A000000025', 'AMEX'],
  ['A000000065', 'JCB'],
  ['A000000333', 'UNIONPAY'],
]);

/** An application identifier has 5 to 16 bytes: EMV 4.3 Book 1, 12.2.1. */
const aidText = /^(?:[0-9A-F]{2}){5,16}$/;

/** The scheme of an application identifier in upper-case hex; nothing for a scheme that is not taken here. */
export function cardBrand(aid: string): CardBrand | undefined {
  return aidText.test(aid) ? brandOfProvider.get(aid.slice(0, 10)) : undefined;
}
