/** Visible digits of a card number: first six and last four (PCI DSS v4, 3.4.1). */
const shownFirst = 6;
const shownLast = 4;

/**
 * Objects that identify the card or its holder, EMV tags in upper-case hex: none of them leaves the reader in the
 * clear.
 */
export const keptInside: ReadonlySet<string> = new Set(['57', '5A', '56', '5F20', '9F1F', '9F20', '9F0B', '99']);

/** A card number with `hidden` in place of the hidden digits. */
export function maskedDigits(digits: string, hidden: string): string {
  const length = Math.max(0, digits.length - shownFirst - shownLast);
  if (length === 0) return hidden.repeat(digits.length);
  return digits.slice(0, shownFirst) + hidden.repeat(length) + digits.slice(-shownLast);
}
