/** Nearest rank: the smallest of the values that at least `share` of them do not exceed. `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length)));
  return sorted[rank - 1] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
