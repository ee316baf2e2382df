/**
 * Texts for the bits of a terminal's and a card's verification results. Bits and meanings: EMV 4.4 Book 3, Annex C5 and
 * C6, as listed in openemv/emv-utils, src/emv_fields.h (Terminal Verification Results, Transaction Status Information).
 */
type Meaning = readonly [byte: number, bit: number, text: string];

const tvrMeanings: readonly Meaning[] = [
  [1, 0x80, 'offline data authentication not performed'],
  [1, 0x40, 'static data authentication failed'],
  [1, 0x20, 'card data missing'],
  [1, 0x10, 'card on the exception file'],
  [1, 0x08, 'dynamic data authentication failed'],
  [1, 0x04, 'combined data authentication failed'],
  [1, 0x02, 'static data authentication selected'],
  [1, 0x01, 'extended data authentication selected'],
  [2, 0x80, 'application versions differ'],
  [2, 0x40, 'application expired'],
  [2, 0x20, 'application not yet effective'],
  [2, 0x10, 'service not allowed for this card'],
  [2, 0x08, 'new card'],
  [2, 0x02, 'biometric successful'],
  [2, 0x01, 'biometric template format not supported'],
  [3, 0x80, 'cardholder verification failed'],
  [3, 0x40, 'verification method not recognised'],
  [3, 0x20, 'PIN try limit exceeded'],
  [3, 0x10, 'PIN pad missing or not working'],
  [3, 0x08, 'PIN not entered'],
  [3, 0x04, 'online PIN entered'],
  [3, 0x02, 'biometric device not working'],
  [3, 0x01, 'biometric bypassed'],
  [4, 0x80, 'floor limit exceeded'],
  [4, 0x40, 'lower consecutive offline limit exceeded'],
  [4, 0x20, 'upper consecutive offline limit exceeded'],
  [4, 0x10, 'selected at random for online'],
  [4, 0x08, 'merchant forced online'],
  [4, 0x04, 'biometric try limit exceeded'],
  [4, 0x02, 'biometric type not supported'],
  [4, 0x01, 'extended data authentication failed'],
  [5, 0x80, 'default TDOL used'],
  [5, 0x40, 'issuer authentication failed'],
  [5, 0x20, 'script failed before the last cryptogram'],
  [5, 0x10, 'script failed after the last cryptogram'],
  [5, 0x04, 'scheme key missing'],
  [5, 0x02, 'scheme key not recovered'],
];

const tsiMeanings: readonly Meaning[] = [
  [1, 0x80, 'offline data authentication performed'],
  [1, 0x40, 'cardholder verification performed'],
  [1, 0x20, 'card risk management performed'],
  [1, 0x10, 'issuer authentication performed'],
  [1, 0x08, 'terminal risk management performed'],
  [1, 0x04, 'script processing performed'],
];

const tvrBytes = 5;
const tsiBytes = 2;

/** Tag 95, 5 bytes: one text for each bit set, from the first byte's highest bit on. Empty for another length. */
export function tvrTexts(value: Uint8Array): string[] {
  return texts(value, tvrBytes, tvrMeanings);
}

/** Tag 9B, 2 bytes, as `tvrTexts`. */
export function tsiTexts(value: Uint8Array): string[] {
  return texts(value, tsiBytes, tsiMeanings);
}

function texts(value: Uint8Array, length: number, meanings: readonly Meaning[]): string[] {
  if (value.length !== length) return [];
  const named = new Map(meanings.map(([byte, bit, text]) => [`${byte}/${bit}`, text]));
  return Array.from(value).flatMap((byte, at) =>
    [0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01]
      .filter((bit) => (byte & bit) !== 0)
      .map((bit) => named.get(`${at + 1}/${bit}`) ?? `byte ${at + 1} bit ${Math.log2(bit) + 1} (reserved)`),
  );
}
