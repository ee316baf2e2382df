import { hongKongTime, payTypeOf } from './report.ts';
import type { Transaction } from './outcome.ts';
import { digestOf } from './wire/cipher.ts';

/** X-QF-SIGN: MD5 of the body as it is sent and the key, in capitals (QFPay, "Asynchronous Notifications"). */
export function notificationSignature(body: string, key: string): string {
  return digestOf(body, key).toString('hex').toUpperCase();
}

/** The notification of a payment. `at`: when its success was known. */
export function paymentNotice(transaction: Transaction, at: Date): string {
  return JSON.stringify({
    ...common(transaction, at),
    notify_type: 'payment',
    out_trade_no: transaction.reference,
    pay_type: payTypeOf(transaction),
    cancel: '0',
    chnlsn: transaction.rrn === '' ? transaction.id : transaction.rrn,
    chnlsn2: '',
    cardcd: transaction.maskedPan,
    goods_name: '',
    goods_info: '',
    cash_fee: '0',
    cash_fee_type: '',
    exchange_rate: '',
  });
}

/**
 * The notification of a refund, which names the payment. Its type was `cancel` until January 2026 and is `refund` since
 * (odoo/odoo#245834).
 */
export function refundNotice(
  refund: Transaction,
  original: Transaction,
  { type, number, at }: { readonly type: 'cancel' | 'refund'; readonly number: string; readonly at: Date },
): string {
  return JSON.stringify({
    ...common(refund, at),
    notify_type: type,
    out_trade_no: number,
    orig_out_trade_no: original.reference,
    orig_syssn: original.id,
    chnlsn: refund.rrn === '' ? refund.id : refund.rrn,
  });
}

function common(transaction: Transaction, at: Date) {
  return {
    status: '1',
    respcd: '0000',
    syssn: transaction.id,
    txamt: transaction.minor.toString(),
    txcurrcd: transaction.currency,
    txdtm: hongKongTime(transaction.createdAt),
    sysdtm: hongKongTime(transaction.createdAt),
    paydtm: hongKongTime(at),
  };
}
