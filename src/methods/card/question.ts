import type { BatchTotals, SettlementOrder } from '../../payment/contracts/acquirer-host.ts';
import type { AskedCurrency, SettlingBatch, SettlingTotal } from '../../payment/events/settling-batch.ts';

/** The message that asks for one currency of a closed batch. */
export function settlementOrder(
  { batch }: Pick<SettlingBatch, 'batch'>,
  total: SettlingTotal,
  { stan, trailer }: AskedCurrency,
): SettlementOrder {
  return { stan, batch, totals: batchTotals(total), trailer };
}

function batchTotals({ currency, sales, refunds }: SettlingTotal): BatchTotals {
  return {
    currency,
    sales: { count: sales.count, minor: BigInt(sales.totalMinor) },
    refunds: { count: refunds.count, minor: BigInt(refunds.totalMinor) },
  };
}
