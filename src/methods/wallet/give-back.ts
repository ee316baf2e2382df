import type { JournalEvent } from '../../payment/events/event.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { WalletApproved, WalletHost, WalletOrder } from '../../payment/contracts/wallet-host.ts';
import { isUnshown } from './enquiries.ts';

/**
 * Refunds an order. The refund's own order number is the same at every attempt, so it is refunded once. The answer to a
 * repeat proves nothing: it may say that too little is left because the first one was carried out. Undefined: not yet.
 */
export async function giveBack(
  order: WalletOrder,
  originalNumber: string,
  host: WalletHost,
  clock: Clock,
): Promise<WalletApproved | undefined> {
  const refund = refundOf(order);
  const earlier = await host.enquire(refund);
  if (earlier.kind === 'approved') return earlier;
  if (!isUnshown(earlier) && earlier.kind !== 'declined') return undefined;
  const outcome = await host.refund({ ...refund, at: clock.now(), originalNumber });
  if (outcome.kind === 'approved') return outcome;
  const last = await host.enquire(refund);
  return last.kind === 'approved' ? last : undefined;
}

/** The order of the refund that gives this one back. */
export function refundOf({ hostAt: _ofThePayment, ...order }: WalletOrder): WalletOrder {
  return { ...order, tradeNo: `${order.tradeNo}-R` };
}

/** It is given back: with the numbers by which the host's statement has both. */
export function givenBackEvents(rrn = '', refund: WalletApproved | undefined): readonly JournalEvent[] {
  const givenBack = { rrn, refundRrn: refund?.hostNumber ?? '' };
  return [{ kind: 'reversalAcknowledged', responseCode: '00', givenBack }];
}
