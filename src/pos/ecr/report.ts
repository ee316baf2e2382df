import type { Transaction } from './outcome.ts';

/** Times are those of Hong Kong, which has no summer time. */
const hongKongMs = 8 * 3_600_000;

/** 'YYYY-MM-DD hh:mm:ss'; empty for a text that is no time. */
export function hongKongTime(at: Date | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() + hongKongMs).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * busicd and pay_type of a way to pay, where the customer's code was scanned and where the terminal has shown one
 * (camela-qfpay/docs@93ed926, en/integration/in-store/pos-api/ecr.md, 5.2).
 */
const payTypes: Readonly<Record<string, readonly [scanned: string, shown: string]>> = {
  UNIONPAY: ['806708', '806708'],
  AMEX: ['806808', '806808'],
  WECHAT: ['800208', '800201'],
  ALIPAY: ['800108', '800101'],
  PAYME: ['805808', '805801'],
  UPI_QR: ['800708', '800701'],
  FPS: ['802001', '802001'],
  OCTOPUS: ['803708', '803708'],
};
const cards = '802808';

export function payTypeOf({ method, entryMode }: Pick<Transaction, 'method' | 'entryMode'>): string {
  const [scanned, shown] = payTypes[method] ?? [cards, cards];
  return entryMode === 'QR_PRESENT' ? shown : scanned;
}

/** `cancel` of a payment: 0 no, 2 cancelled, 3 refunded, 5 partly refunded (QFPay/docs, "Asynchronous Notifications"). */
export function cancelStateOf({ status }: Pick<Transaction, 'status'>): string {
  return { VOIDED: '2', REFUNDED: '3', PARTIALLY_REFUNDED: '5', REVERSED: '1' }[status] ?? '0';
}

interface Reporting {
  readonly shopName: string;
  readonly now: Date;
}

/** `data` of a trade (QFPay/docs@3943715, docs/pos/ecr.md, 5.4). */
export function tradeData(transaction: Transaction, { shopName, now }: Reporting): Record<string, string> {
  return {
    ...common(transaction),
    mchntnm: shopName,
    userid: transaction.mid,
    udid: transaction.tid,
    busicd: payTypeOf(transaction),
    paydtm: hongKongTime(now),
    out_trade_no: transaction.reference,
    cardscheme: transaction.method,
  };
}

/** `data` of a refund. `original`: the payment. */
export function refundData(refund: Transaction, original: Transaction, now: Date): Record<string, string> {
  return {
    ...common(refund),
    orig_syssn: original.id,
    originTxamt: original.minor.toString(),
    txdtm: hongKongTime(refund.createdAt),
    paydtm: hongKongTime(now),
    out_trade_no: original.reference,
  };
}

/** `data` of an enquiry. */
export function queryData(transaction: Transaction, now: Date): Record<string, string> {
  const { minor, finalMinor, refundedMinor, type, originalId } = transaction;
  const isPayment = originalId === '';
  const left = transaction.status === 'VOIDED' ? 0n : finalMinor - refundedMinor;
  return {
    ...common(transaction),
    server_time: hongKongTime(now),
    cancel: cancelStateOf(transaction),
    origssn: originalId,
    prepay_amt: minor.toString(),
    allow_refund_amt: (isPayment && left > 0n ? left : 0n).toString(),
    tradetp: isPayment ? 'payment' : 'refund',
    desc: type,
    busicd: payTypeOf(transaction),
    origbusicd: isPayment ? '' : payTypeOf(transaction),
    cardscheme: transaction.method,
    cardno: transaction.maskedPan,
    batchno: transaction.batch,
    refno: transaction.rrn,
    out_trade_no: transaction.reference,
    opuid: '',
    opuser: '',
    nickname: '',
    customer_source: '',
    cardtype: '',
  };
}

function common(transaction: Transaction): Record<string, string> {
  return {
    respcd: '0000',
    respmsg: 'success',
    resperr: '',
    syssn: transaction.id,
    txamt: transaction.minor.toString(),
    txcurrcd: transaction.currency,
    chnlsn: transaction.rrn === '' ? transaction.id : transaction.rrn,
    sysdtm: hongKongTime(transaction.createdAt),
    clisn: transaction.trace,
  };
}
