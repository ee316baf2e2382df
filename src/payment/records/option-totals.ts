import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { BatchItem } from './batch.ts';

/** What one option has added in one currency. */
export interface OptionTotal {
  readonly name: string;
  readonly currency: CurrencyCode;
  /** The transactions that it has added something to. */
  readonly count: number;
  readonly minor: bigint;
}

/** What options have added to these items, by option and currency. It is part of the sales, also after a refund. */
export function optionTotals(items: readonly Pick<BatchItem, 'record'>[]): readonly OptionTotal[] {
  const added = items.flatMap(({ record: { options = [], amount } }) =>
    options.filter(({ addedMinor }) => addedMinor > 0n).map((each) => ({ ...each, currency: amount.currency })),
  );
  const groups = Map.groupBy(added, ({ currency, name }) => `${currency} ${name}`);
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (!first) return [];
      const minor = group.reduce((sum, { addedMinor }) => sum + addedMinor, 0n);
      return [{ name: first.name, currency: first.currency, count: group.length, minor }];
    });
}
