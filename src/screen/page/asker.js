// The POS that requests the payment: the merchant must see it if POS may be outside the shop. Also the merchant that is
// paid, on a terminal with several.
/** @import { View, Words } from './types.ts' */

/** A longer name is cut: the amount is more important. */
const charactersMax = 10;

/** This many characters distinguish a merchant's name from the others. */
const merchantMost = 24;

/** @type {(merchant: View['merchant']) => string | undefined} */
export function merchantText(merchant) {
  if (merchant === undefined || merchant.length <= merchantMost) return merchant;
  return `${merchant.slice(0, merchantMost - 1)}…`;
}

/**
 * Undefined if the terminal does not name it.
 * @type {(asker: View['asker'], words: Words) => string | undefined}
 */
export function askerText(asker, words) {
  if (asker === undefined) return undefined;
  const { posId, cloud } = asker;
  const name = posId.length > charactersMax ? `${posId.slice(0, charactersMax)}…` : posId;
  return words.asker[cloud ? 'cloud' : 'local'].replace('{pos}', () => name);
}
