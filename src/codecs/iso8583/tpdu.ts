/**
 * The five bytes between length and message on a terminal line: protocol identifier 60, then destination and origin
 * address of two bytes each. Addresses are bytes, not checked digits: networks use letters too.
 */
export const tpduBytes = 5;

/** '6000030000' → 60 00 03 00 00. Throws RangeError unless it is ten hexadecimal digits. */
export function tpdu(text: string): Uint8Array {
  if (!/^[\dA-Fa-f]{10}$/.test(text)) throw new RangeError('a TPDU is ten hexadecimal digits');
  return Buffer.from(text, 'hex');
}
