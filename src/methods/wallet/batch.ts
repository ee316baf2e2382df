import { majorText } from '../../base/domain/amount.ts';
import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { Batch, BatchItem } from '../../payment/records/batch.ts';
import { readableTree } from '../../payment/records/record-tree.ts';
import { transactionStatus } from '../../payment/records/transaction-status.ts';
import { walletOrder } from './order.ts';
import type { SettlementResult } from '../../payment/method/batch-settler.ts';

/**
 * Settles with a wallet's host, which has no settlement message: it settles by its own books on the next day. So every
 * order of the batch is enquired, and one difference fails the settlement.
 */
export async function settleWalletBatch(
  batch: Batch,
  host: WalletHost,
  journal: RefundJournal,
): Promise<SettlementResult> {
  for (const item of batch.items) {
    const fault = await difference(item, host, journal);
    if (fault) return fault;
  }
  return { result: 'BALANCED' };
}

export type RefundJournal = Pick<Journal, 'read' | 'later'>;

async function difference(
  item: BatchItem,
  host: WalletHost,
  journal: RefundJournal,
): Promise<SettlementResult | undefined> {
  const { record, kind } = item;
  const { intent: _ours, ...order } = walletOrder(record);
  const { kind: finding } = await host.enquire(order);
  if (finding === 'approved') return undefined;
  // A refunded sale is still a sale of its batch, and its refunds are items of theirs: this batch or a later one.
  if (finding === 'refunded' && kind !== 'REFUND' && (await isRefundedHere(item, journal))) return undefined;
  const what = `${kind} ${order.tradeNo} of ${majorText(order.amount)} ${order.amount.currency}`;
  if (finding === 'unknown') return { result: 'FAILED', reason: `${settlementFaults.orderUntold}${what}` };
  if (finding === 'noSuchOrder' || finding === 'notFound') {
    return { result: 'FAILED', reason: `${settlementFaults.orderMissing}${what}`, refused: true };
  }
  return { result: 'FAILED', reason: `${settlementFaults.orderDiffers}${what} as ${finding}`, refused: true };
}

/**
 * Whether the terminal itself has refunded some of it. The flag of the host's books for a scanned order, "reversed or
 * refunded", does not say that all of it is refunded (QFPay, "Asynchronous Notifications", Cancel Field Definitions).
 * Rejects with JournalError.
 */
async function isRefundedHere({ record: { id } }: BatchItem, journal: RefundJournal): Promise<boolean> {
  const tree = await readableTree(id, journal);
  return tree !== undefined && transactionStatus(tree).refundedMinor > 0n;
}
