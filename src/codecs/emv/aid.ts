import type { CardBrand } from '../../base/domain/payment-scheme.ts';

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
  ['A000000324', 'DISCOVER'],
]);

/** Diners Club and Discover share this provider. Their card numbers distinguish them. */
const dinersAndDiscover = 'A000000152';

/** An application identifier has 5 to 16 bytes: EMV 4.3 Book 1, 12.2.1. */
const aidText = /^(?:[0-9A-F]{2}){5,16}$/;

/** The scheme of an application identifier in upper-case hex; undefined for an unsupported scheme. */
export function cardBrand(aid: string, maskedPan = ''): CardBrand | undefined {
  if (!aidText.test(aid)) return undefined;
  const provider = aid.slice(0, 10);
  if (provider !== dinersAndDiscover) return brandOfProvider.get(provider);
  return brandOfNumber(maskedPan) === 'DINERS' ? 'DINERS' : 'DISCOVER';
}

/**
 * Issuer identification numbers (ISO/IEC 7812-1), the leading digits of a card number: first and last of each range.
 * Values as in braintree/credit-card-type, src/lib/card-types.ts; for UnionPay all of 62, as its own cards are
 * numbered.
 */
const ranges: readonly (readonly [brand: CardBrand, first: string, last: string])[] = [
  ['VISA', '4', '4'],
  ['MASTER', '51', '55'],
  ['MASTER', '2221', '2720'],
  ['AMEX', '34', '34'],
  ['AMEX', '37', '37'],
  ['JCB', '3528', '3589'],
  ['UNIONPAY', '62', '62'],
  ['UNIONPAY', '8100', '8171'],
  ['DINERS', '300', '305'],
  ['DINERS', '36', '36'],
  ['DINERS', '38', '39'],
  ['DISCOVER', '6011', '6011'],
  ['DISCOVER', '644', '649'],
  ['DISCOVER', '65', '65'],
];

/** First digits, asterisks, last four. */
const maskedNumber = /^\d{0,6}\*+\d{4}$/;

/** The scheme of a masked card number ('476173******0119'); undefined if its visible digits do not determine it. */
export function brandOfNumber(maskedPan: string): CardBrand | undefined {
  if (!maskedNumber.test(maskedPan)) return undefined;
  const visible = maskedPan.slice(0, maskedPan.indexOf('*'));
  const within = ([, first, last]: (typeof ranges)[number]) => {
    const digits = visible.slice(0, first.length);
    return digits.length === first.length && digits >= first && digits <= last;
  };
  return ranges.find(within)?.[0];
}
