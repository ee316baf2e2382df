import { majorText } from '../../base/domain/amount.ts';
import { settlementTroubles as troubles } from '../../base/domain/settlement-trouble.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { Batch, BatchItem } from '../../payment/records/batch.ts';
import { walletOrder } from './order.ts';
import type { SettlementResult } from '../../payment/method/batch-settler.ts';

/**
 * Settles with a wallet's host, which has no settlement message: it settles by its own books on the next day. So every
 * order of the batch is enquired, and one difference fails the settlement.
 */
export async function settleWalletBatch(batch: Batch, host: WalletHost): Promise<SettlementResult> {
  for (const item of batch.items) {
    const fault = await difference(item, host);
    if (fault) return fault;
  }
  return { result: 'BALANCED' };
}

async function difference({ record, kind }: BatchItem, host: WalletHost): Promise<SettlementResult | undefined> {
  const { intent: _ours, ...order } = walletOrder(record);
  const { kind: finding } = await host.enquire(order);
  // A sale that was refunded in part or in whole is still a sale of this batch: its refunds are separate items.
  if (finding === 'approved' || (finding === 'refunded' && kind !== 'REFUND')) return undefined;
  const what = `${kind} ${order.tradeNo} of ${majorText(order.amount)} ${order.amount.currency}`;
  if (finding === 'unknown') return { result: 'FAILED', reason: `${troubles.orderUntold}${what}` };
  if (finding === 'noSuchOrder' || finding === 'notFound') {
    return { result: 'FAILED', reason: `${troubles.orderMissing}${what}`, refused: true };
  }
  return { result: 'FAILED', reason: `${troubles.orderDiffers}${what} as ${finding}`, refused: true };
}
