import type { BatchTotals } from '../../payment/contracts/acquirer-host.ts';
import type { TotalsLayout } from './dialect.ts';

const zero = { count: 0, minor: 0n };

/** Field 63 of a settlement. Throws RangeError for a count or a sum that does not fit. */
export function totalsDigits({ parts, countDigits, amountDigits }: TotalsLayout, totals: BatchTotals): string {
  const sums = parts.map((part) => (part === 'zero' ? zero : totals[part]));
  const width = countDigits.find((size) => sums.every(({ count }) => count < 10 ** size)) ?? 0;
  return sums.map(({ count, minor }) => digits(count, width) + digits(minor, amountDigits)).join('');
}

/** The largest count and sum that fit. */
export function totalsMax({ countDigits, amountDigits }: TotalsLayout): { count: number; minor: bigint } {
  return { count: 10 ** Math.max(...countDigits) - 1, minor: 10n ** BigInt(amountDigits) - 1n };
}

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
