import { median, percentile } from '../bench/percentiles.ts';

/** The same, quiet and attacked in turn: what else the machine does is shared by both. */
export interface PairedTimes {
  readonly quiet: readonly number[];
  readonly attacked: readonly number[];
}

export async function paired<Result>(
  pairs: number,
  quietly: () => Promise<Result>,
  attackedly: () => Promise<Result>,
): Promise<{ quiet: Result[]; attacked: Result[] }> {
  const quiet: Result[] = [];
  const attacked: Result[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) quiet.push(await quietly());
    attacked.push(await attackedly());
    if (pair % 2 === 1) quiet.push(await quietly());
  }
  return { quiet, attacked };
}

export function medianRatio({ quiet, attacked }: PairedTimes): number {
  return median(attacked) / median(quiet);
}

export function p95Ratio({ quiet, attacked }: PairedTimes): number {
  return percentile(attacked, 0.95) / percentile(quiet, 0.95);
}
