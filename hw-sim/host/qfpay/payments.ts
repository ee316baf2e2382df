import { type CallParts, refusedNumber } from './call-parts.ts';
import { fieldOf, wrong } from './fields.ts';
import type { Form } from './form.ts';
import { merchantCode, withWrongCrc } from './merchant-code.ts';
import { processingEnquiries, type QfpayHostMode } from './mode.ts';
import type { Sale, ShownCode, Waiting } from './order.ts';
import { refusedByCustomer } from './respcd.ts';
import { canonical } from './signature.ts';
import type { Verdict } from './verdict.ts';
import { type Currency, otherPayTypes, type Wallet } from './wallet.ts';
import { type PayType, payableIn } from './wallets.ts';

const referenceCharactersMax = 25;
const minuteMs = 60_000;
const defaultMinutes = 30;

/** /trade/v1/payment: codes that a terminal shows (MPM) and codes that it has scanned (CPM). */
export function pay(parts: CallParts, form: Form, mode: QfpayHostMode): Verdict {
  const code = fieldOf(form, 'pay_type');
  const payType = parts.wallets.byPayType(code, form.get('pay_tag'));
  if (!payType)
    return otherPayTypes.has(code) ? { respcd: '1242' } : wrong('payment with an unknown pay_type or pay_tag');
  const misplaced = misplacedField(form, payType);
  if (misplaced) return misplaced;
  const currency = payableIn(payType, form.get('txcurrcd'));
  if (!currency) return { respcd: '1242' };
  const refused = refusedNumber(parts, form, fieldOf(form, 'out_trade_no'));
  if (refused) return refused;
  return payType.flow === 'presented'
    ? present(parts, form, mode, { wallet: payType.wallet, currency })
    : scan(parts, form, mode, { ...payType, currency });
}

function misplacedField(form: Form, { flow }: PayType): Verdict | undefined {
  if (flow === 'scanned') {
    if (!form.has('auth_code')) return wrong('payment of a scanned code without auth_code');
    const shown = ['expired_time', 'pay_tag'].find((name) => form.has(name));
    return shown === undefined ? undefined : wrong(`payment of a scanned code with ${shown}`);
  }
  return form.has('auth_code') ? wrong('payment of a shown code with auth_code') : undefined;
}

function present(parts: CallParts, form: Form, mode: QfpayHostMode, paid: PaidBy): Verdict {
  const { decline } = mode;
  const waiting: Waiting = { for: 'scan' };
  const sale = booked(parts, form, { ...paid, flow: 'presented', verdict: '0000', waiting }, (made) =>
    shownCode(parts, form, mode, made),
  );
  if (decline !== undefined) parts.orders.fail(sale, decline);
  // The payment call itself succeeds once there is a code to show.
  return { respcd: decline ?? '0000', order: sale };
}

function scan(
  parts: CallParts,
  form: Form,
  mode: QfpayHostMode,
  payType: PayType & { readonly flow: 'scanned'; readonly currency: Currency },
): Verdict {
  const { currency } = payType;
  const wallet = parts.phones.take(fieldOf(form, 'auth_code'), payType.wallet);
  if (typeof wallet === 'string') return { respcd: wallet };
  if (!wallet.currencies.includes(currency)) return { respcd: '1242' };
  const { customer = 'pays', decline } = mode;
  const verdict = decline ?? (customer === 'refuses' ? refusedByCustomer : '0000');
  const sale = booked(parts, form, { flow: 'scanned', wallet, currency, verdict, waiting: waitingFor(mode) });
  if (!sale.waiting) parts.orders.decide(sale);
  return { respcd: sale.respcd, order: sale };
}

function waitingFor(mode: QfpayHostMode): Waiting | undefined {
  const { customer = 'pays' } = mode;
  switch (customer) {
    case 'pays':
    case 'refuses':
      return undefined;
    case 'password':
      return { for: 'password' };
    case 'processing':
      return { for: 'wallet', enquiries: mode.processingEnquiries ?? processingEnquiries };
    default:
      return customer satisfies never;
  }
}

interface PaidBy {
  readonly wallet: Wallet;
  readonly currency: Currency;
}
type Decided = PaidBy & Pick<Sale, 'flow' | 'verdict' | 'waiting'>;
type Numbered = PaidBy & Pick<Sale, 'syssn' | 'tradeNo' | 'amountMinor'>;

function booked(parts: CallParts, form: Form, decided: Decided, codeOf?: (sale: Numbered) => ShownCode): Sale {
  const numbered: Numbered = {
    tradeNo: fieldOf(form, 'out_trade_no'),
    syssn: parts.orders.syssn(),
    wallet: decided.wallet,
    currency: decided.currency,
    amountMinor: BigInt(fieldOf(form, 'txamt')),
  };
  return parts.orders.add({
    kind: 'SALE',
    ...numbered,
    ...decided,
    wallet: decided.wallet.code,
    payType: fieldOf(form, 'pay_type'),
    txdtm: fieldOf(form, 'txdtm'),
    udid: form.get('udid') ?? '',
    content: canonical(form),
    at: parts.clock.now(),
    trueMs: parts.clock.trueMs(),
    status: 'PENDING',
    // A code that was not scanned yet is also 1143: "has not been paid for".
    respcd: decided.waiting?.for === 'wallet' ? '1145' : '1143',
    paid: undefined,
    refundedMinor: 0n,
    ...(codeOf && { code: codeOf(numbered) }),
  });
}

function shownCode(parts: CallParts, form: Form, { badCode = false }: QfpayHostMode, sale: Numbered): ShownCode {
  const { wallet, currency, amountMinor, tradeNo, syssn } = sale;
  const reference = tradeNo.length <= referenceCharactersMax ? tradeNo : syssn.slice(-referenceCharactersMax);
  const code = merchantCode({ wallet, currency, amountMinor, reference }, parts.numbers);
  const text = badCode ? withWrongCrc(code) : code;
  const minutes = wallet.presented?.expires ? Number(form.get('expired_time') ?? defaultMinutes) : defaultMinutes;
  const expiresAt = new Date(parts.clock.now().getTime() + minutes * minuteMs);
  return { text, expiresAt, unreadable: text !== code, sent: false };
}
