import type { HostClock } from './clock.ts';
import type { Call } from './fields.ts';
import type { Form } from './form.ts';
import type { Order, Sale } from './order.ts';
import { respcds } from './respcd.ts';
import type { Verdict } from './verdict.ts';

/** A JSON body. */
export type AnswerBody = Readonly<Record<string, unknown>>;

/** The parts of an answer besides its verdict. */
interface Circumstances {
  readonly clock: HostClock;
  /** Added to every amount that it names. */
  readonly extraMinor: bigint;
  /** Of a reversal or a close: it has a number of its own. */
  readonly syssn: string;
}

/** The answer to any call but an enquiry. Without an order it has only a code. */
export function answerBody(call: Exclude<Call, 'query'>, verdict: Verdict, circumstances: Circumstances): AnswerBody {
  const { respcd, order } = verdict;
  const result = codeOnly(respcd);
  if (!order) return result;
  switch (call) {
    case 'payment':
      return { ...result, ...paymentFields(order, circumstances) };
    case 'refund':
      return { ...result, ...refundFields(order, circumstances) };
    case 'reversal':
    case 'close':
      return { ...result, ...takeBackFields(order, circumstances) };
    default:
      return call satisfies never;
  }
}

export function enquiryBody(orders: readonly Order[], circumstances: Circumstances): AnswerBody {
  return {
    ...codeOnly('0000'),
    data: orders.map((order) => enquired(order, circumstances)),
  };
}

/** The published example of a scanned payment has its amount as a number, all the others as a text. */
function paymentFields(order: Order, { extraMinor, clock }: Circumstances): AnswerBody {
  const amount = order.amountMinor + extraMinor;
  return {
    ...booked(order, clock),
    txamt: order.kind === 'SALE' && order.flow === 'scanned' ? Number(amount) : amount.toString(),
    surcharge_fee: 0,
    surcharge_rate: 0,
    ...(order.paid && { paydtm: clock.text(order.paid.at) }),
    ...(order.kind === 'SALE' && order.status === 'PENDING' && order.code && { qrcode: order.code.text }),
  };
}

function refundFields(order: Order, { extraMinor, clock }: Circumstances): AnswerBody {
  return {
    ...booked(order, clock),
    txamt: (order.amountMinor + extraMinor).toString(),
    ...(order.kind === 'REFUND' && { orig_syssn: order.original.syssn }),
    ...(order.paid && { paydtm: clock.text(order.paid.at) }),
  };
}

function takeBackFields(order: Order, { clock, syssn, extraMinor }: Circumstances): AnswerBody {
  return {
    ...booked(order, clock),
    syssn,
    orig_syssn: order.syssn,
    txamt: (order.amountMinor + extraMinor).toString(),
    sysdtm: clock.text(clock.now()),
    chnlsn: '',
  };
}

function enquired(order: Order, { extraMinor, clock }: Circumstances): AnswerBody {
  const amount = (order.amountMinor + extraMinor).toString();
  return {
    ...booked(order, clock),
    txamt: amount,
    respcd: order.respcd,
    errmsg: meaning(order.respcd),
    order_type: order.kind === 'SALE' ? 'payment' : 'refund',
    cancel: cancelFlag(order),
    cash_fee: order.kind === 'SALE' && order.paid ? amount : '0',
    cash_fee_type: order.currency,
    ...(order.kind === 'REFUND' && {
      origssn: order.original.syssn,
      cash_refund_fee: amount,
      cash_refund_fee_type: order.currency,
    }),
  };
}

function booked({ syssn, tradeNo, payType, currency, txdtm, udid, at, paid }: Order, clock: HostClock): AnswerBody {
  return {
    syssn,
    out_trade_no: tradeNo,
    pay_type: payType,
    txcurrcd: currency,
    txdtm,
    sysdtm: clock.text(at),
    udid,
    chnlsn: paid?.chnlsn ?? '',
    cardcd: '',
  };
}

/**
 * QFPay, notifications, "cancel": 0 not cancelled, 1 CPM reversed or refunded, 2 MPM cancelled, 3 refunded, 5
 * partially refunded (4 is of pre-authorizations). Of a refund that was taken back 1: assumed.
 */
function cancelFlag(order: Order): string {
  if (order.kind === 'REFUND') return order.status === 'REVERSED' ? '1' : '0';
  const scanned = order.flow === 'scanned';
  if (order.respcd === '1142') return scanned ? '1' : '2';
  if (order.refundedMinor === 0n) return '0';
  return order.refundedMinor < order.amountMinor ? '5' : wholeFlag(order);
}

function wholeFlag({ flow }: Sale): string {
  return flow === 'scanned' ? '1' : '3';
}

/** Fields of the form that an unknown outcome may repeat: none that only a booked order has. */
export function unknownBody(form: Form): AnswerBody {
  return { ...codeOnly('1298'), out_trade_no: form.get('out_trade_no') ?? '' };
}

export function codeOnly(respcd: string): AnswerBody {
  return { respcd, resperr: meaning(respcd), respmsg: '' };
}

function meaning(respcd: string): string {
  return respcds.get(respcd) ?? 'failed';
}
