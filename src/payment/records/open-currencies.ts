import type { SettlingBatch, SettlingTotal } from '../events/settling-batch.ts';

/**
 * What its host has not settled of a closed batch. None once a late answer has: the batch is then only kept until the
 * next settlement reports it.
 */
export function openCurrencies({ currencies }: SettlingBatch): readonly SettlingTotal[] {
  return currencies.filter(({ result }) => result === undefined);
}
