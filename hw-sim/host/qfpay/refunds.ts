import { type CallParts, refusedNumber } from './call-parts.ts';
import { fieldOf } from './fields.ts';
import type { Form } from './form.ts';
import type { QfpayHostMode } from './mode.ts';
import type { Sale } from './order.ts';
import type { Orders } from './orders.ts';
import { canonical } from './signature.ts';
import type { Verdict } from './verdict.ts';
import type { Wallets } from './wallets.ts';

/** /trade/v1/refund: gives back a paid sale, whole or in parts. */
export function refund(parts: CallParts, form: Form, mode: QfpayHostMode): Verdict {
  const { orders } = parts;
  const tradeNo = fieldOf(form, 'out_trade_no');
  const exceeding = mode.excessRefunds !== undefined && exceeds(orders, form);
  if (exceeding) return { respcd: mode.excessRefunds };
  const refusedAtOnce = refusedNumber(parts, form, tradeNo);
  if (refusedAtOnce) return refusedAtOnce;
  const original = orders.bySyssn(fieldOf(form, 'syssn'));
  if (original?.kind !== 'SALE') return { respcd: '1136' };
  const amountMinor = BigInt(fieldOf(form, 'txamt'));
  const refused = refusal(
    parts.wallets,
    original,
    amountMinor,
    form.get('txcurrcd') ?? original.currency,
    orders.todaysMinor(original.currency),
  );
  if (refused !== undefined) return { respcd: refused };
  const made = orders.add({
    kind: 'REFUND',
    tradeNo,
    syssn: orders.syssn(),
    wallet: original.wallet,
    payType: original.payType,
    currency: original.currency,
    amountMinor,
    txdtm: fieldOf(form, 'txdtm'),
    udid: form.get('udid') ?? '',
    content: canonical(form),
    at: parts.clock.now(),
    trueMs: parts.clock.trueMs(),
    status: 'PENDING',
    respcd: '1145',
    paid: undefined,
    original,
  });
  const declined = mode.declineRefunds ?? mode.decline;
  if (declined === undefined) orders.post(made);
  else orders.fail(made, declined);
  return { respcd: made.respcd, order: made };
}

function exceeds(orders: Orders, form: Form): boolean {
  const original = orders.bySyssn(fieldOf(form, 'syssn'));
  if (original?.kind !== 'SALE' || original.status !== 'POSTED') return false;
  return BigInt(fieldOf(form, 'txamt')) > original.amountMinor - original.refundedMinor;
}

function refusal(
  wallets: Wallets,
  original: Sale,
  amountMinor: bigint,
  currency: string,
  todaysMinor: bigint,
): string | undefined {
  const unpaid = unpaidCode(original);
  if (unpaid !== undefined) return unpaid;
  if (currency !== original.currency) return '1267';
  if (!wallets.of(original.wallet).refunds) return '1155';
  const rest = original.amountMinor - original.refundedMinor;
  if (rest === 0n) return '1125';
  if (amountMinor > rest) return '1272';
  return amountMinor > todaysMinor ? '1269' : undefined;
}

function unpaidCode({ status, respcd }: Sale): string | undefined {
  switch (status) {
    case 'POSTED':
      return undefined;
    case 'PENDING':
      return '1261';
    case 'CLOSED':
      return respcd === '1181' ? '1181' : '1264';
    case 'REVERSED':
      return '1263';
    case 'FAILED':
      return '1136';
    default:
      return status satisfies never;
  }
}
