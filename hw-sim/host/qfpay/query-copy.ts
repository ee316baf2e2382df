import type { Order, Refund, Sale } from './order.ts';
import type { Orders } from './orders.ts';

/**
 * An order as an enquiry shows it: from a copy of the books that may lag behind. An order, its payment and its refunds
 * appear there only once they are as old as the lag; a close appears at once. Undefined if the copy does not have the
 * order yet. Published: enquire some seconds later, 3 to 5 for example (QFPay, transaction enquiry, zh-Hant).
 */
export function copyOf(order: Order, orders: Orders, untilMs: number): Order | undefined {
  if (order.trueMs > untilMs) return undefined;
  if (order.kind === 'REFUND') return order;
  if (order.paid && order.paid.trueMs > untilMs) return unpaid(order);
  return { ...order, refundedMinor: refundedMinor(order, orders, untilMs) };
}

function unpaid(sale: Sale): Sale {
  return { ...sale, status: 'PENDING', respcd: '1143', paid: undefined, refundedMinor: 0n };
}

function refundedMinor(sale: Sale, orders: Orders, untilMs: number): bigint {
  if (sale.refundedMinor === 0n) return 0n;
  const counts = (order: Order): order is Refund =>
    order.kind === 'REFUND' && order.original === sale && order.status === 'POSTED' && order.trueMs <= untilMs;
  return orders
    .all()
    .filter(counts)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}
