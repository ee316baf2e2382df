/** Digits two to a byte, a nibble F at the end of an odd number (EMV format cn); D is track 2's separator. */
export function packed(digits: string): Buffer {
  if (!/^[0-9D]+$/.test(digits)) throw new RangeError('characters that are no digits');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}F`, 'hex');
}

/** EMV format n: right-justified digits with leading zeros. */
export function numeric(value: bigint, digits: number): Buffer {
  const text = value.toString().padStart(digits, '0');
  if (value < 0n || text.length > digits) throw new RangeError(`${value} does not fit ${digits} digits`);
  return Buffer.from(text, 'hex');
}
