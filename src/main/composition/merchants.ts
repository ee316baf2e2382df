import { acquirerId } from '../../base/domain/identifiers.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Merchants } from '../../payment/transaction/merchants.ts';
import type { MerchantHeaders } from '../../payment/terminal/merchant-header.ts';

type Named = Pick<Configuration, 'merchants' | 'acquirers' | 'methods'>;

/** The merchants, each with its acquirers. A configured acquirer without a merchant belongs to the first one. */
export function merchantsOf({ merchants, acquirers, methods }: Named): Merchants {
  const [first] = merchants;
  if (!first) return { all: [], ofAcquirer: new Map() };
  const ofAcquirer = new Map(
    [...acquirers, ...methods].map((each) => [acquirerId(each.id), each.merchant ?? first.id]),
  );
  return { all: merchants.map(({ id, name }) => ({ id, name })), ofAcquirer };
}

/** The header of each merchant's receipts. */
export function merchantHeaders({ merchants }: Pick<Configuration, 'merchants'>): MerchantHeaders {
  return new Map(merchants.map(({ id, ...header }) => [id, header]));
}
