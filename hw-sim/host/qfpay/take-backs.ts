import type { CallParts } from './call-parts.ts';
import type { Form } from './form.ts';
import type { QfpayHostMode } from './mode.ts';
import type { Order, Refund, Sale } from './order.ts';
import type { Verdict } from './verdict.ts';
import { endsBy } from './wallets.ts';

/**
 * /trade/v1/reversal and /trade/v1/close: end an unpaid order. Assumed: a reversal that names a refund takes it back
 * on the refund's own day (fixtures/README.md).
 */
export function takeBack(parts: CallParts, call: 'reversal' | 'close', form: Form, mode: QfpayHostMode): Verdict {
  if (mode.close === false) return { respcd: '1296' };
  const named = [
    ...(form.has('syssn') ? [parts.orders.bySyssn(form.get('syssn') ?? '')] : []),
    ...(form.has('out_trade_no') ? [parts.orders.byTradeNo(form.get('out_trade_no') ?? '')] : []),
  ];
  const [order] = named;
  if (named.some((other) => other !== order)) return { respcd: '1267' };
  if (!order) return { respcd: mode.unknownOrder ?? '1136' };
  if (BigInt(form.get('txamt') ?? 0) !== order.amountMinor) return { respcd: '1266' };
  if (form.get('txdtm') !== order.txdtm || (form.get('txcurrcd') ?? order.currency) !== order.currency)
    return { respcd: '1267' };
  const respcd = order.kind === 'SALE' ? endSale(parts, order, call) : takeRefundBack(parts, order, call);
  return respcd === '0000' ? { respcd, order } : { respcd };
}

function endSale({ wallets }: CallParts, sale: Sale, call: 'reversal' | 'close'): string {
  // Reversal error: the code is published, its use in this case is not.
  if (!endsBy(call, wallets.of(sale.wallet), sale.flow)) return '1101';
  if (sale.status !== 'PENDING') return endedCode(sale);
  sale.status = call === 'close' ? 'CLOSED' : 'REVERSED';
  sale.respcd = '1142';
  sale.waiting = undefined;
  return '0000';
}

function takeRefundBack(parts: CallParts, refund: Refund, call: 'reversal' | 'close'): string {
  if (call === 'close') return '1136';
  if (refund.status !== 'POSTED') return endedCode(refund);
  if (!refund.paid || !parts.clock.isSameDay(refund.paid.at, parts.clock.now())) return '1101';
  parts.orders.takeBack(refund);
  return '0000';
}

/** The code for an order that can't be ended, because it has already ended. */
function endedCode({ status, respcd }: Order): string {
  switch (status) {
    case 'POSTED':
      return '1260';
    case 'CLOSED':
      return respcd === '1181' ? '1181' : '1142';
    case 'REVERSED':
      return '1142';
    case 'FAILED':
    case 'PENDING':
      return '1136';
    default:
      return status satisfies never;
  }
}
