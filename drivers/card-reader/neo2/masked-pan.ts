/** The nibble that a reader puts in place of a hidden digit (fixtures/README.md). */
const hidden = 'C';

/** At most the first six and last four digits visible (PCI DSS v4, 3.4.1), the rest hidden, 12 to 19 digits in all. */
const maskedNumber = /^(\d{0,6})(C{2,15})(\d{4})$/;

/** Expiry and service code may be visible; the discretionary data after them must be hidden (3.3.1). */
const maskedAfterSeparator = /^(?:\d{4}|C{4})(?:\d{3}|C{3})C*F?$/;

/** Masked tag 57: number, separator D, expiry, service code, discretionary data. Undefined unless really masked. */
export function maskedPanOfTrack2(value: Uint8Array): string | undefined {
  const text = hexOf(value);
  const separator = text.indexOf('D');
  if (separator < 0 || !maskedAfterSeparator.test(text.slice(separator + 1))) return undefined;
  return withAsterisks(text.slice(0, separator));
}

/** Masked tag 5A: number, filled with F to whole bytes. Undefined unless really masked. */
export function maskedPan(value: Uint8Array): string | undefined {
  return withAsterisks(hexOf(value).replace(/F$/, ''));
}

function withAsterisks(number: string): string | undefined {
  if (number.length < 12 || number.length > 19 || !maskedNumber.test(number)) return undefined;
  return number.replaceAll(hidden, '*');
}

function hexOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex').toUpperCase();
}
