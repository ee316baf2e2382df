import type { SettlingBatch, SettlingTotal } from '../events/settling-batch.ts';

/**
 * The currencies of a closed batch that the host has not settled. After a late answer there are none: the batch is then
 * kept only until the next settlement reports it.
 */
export function openCurrencies({ currencies }: SettlingBatch): readonly SettlingTotal[] {
  return currencies.filter(({ result }) => result === undefined);
}
