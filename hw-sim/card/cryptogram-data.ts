import type { ChipCard } from './card.ts';

/**
 * The data elements that every scheme's cryptogram begins with, in this order: EMV 4.3 Book 2, table 26, the minimum
 * set. After them come bytes of 9F10: the card verification results alone or all of it, depending on the card's
 * version.
 */
const commonElements = ['9F02', '9F03', '9F1A', '95', '5F2A', '9A', '9C', '9F37', '82', '9F36'] as const;

/**
 * The concatenated data that the application cryptogram (9F26) covers. `element` looks up a data object by its tag.
 * Undefined if one is missing, or 9F10 is shorter than the card's version needs.
 */
export function cryptogramData(card: ChipCard, element: (tag: string) => Buffer | undefined): Buffer | undefined {
  const [from, to] = card.cryptogram.coveredIssuerData;
  const issuerData = element('9F10');
  if (issuerData === undefined || issuerData.length < to) return undefined;
  const values: Buffer[] = [];
  for (const tag of commonElements) {
    const value = element(tag);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return Buffer.concat([...values, issuerData.subarray(from, to)]);
}
