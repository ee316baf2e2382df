/**
 * A number as exactly `size` decimal digits. Throws RangeError. Checked here, because an ASCII field would also carry a
 * sign or an extra digit.
 */
export function digits(value: number | bigint, size: number): string {
  const text = value.toString();
  if (!/^\d+$/.test(text) || text.length > size) throw new RangeError(`not a number of at most ${size} digits`);
  return text.padStart(size, '0');
}

/** n12: minor units in fields 4, 54, 60 and 63. Throws RangeError. */
export function amountDigits(minor: bigint): string {
  return digits(minor, 12);
}
