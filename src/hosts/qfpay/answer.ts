import type {
  PresentedOrder,
  WalletApproved,
  WalletClosing,
  WalletFinding,
  WalletOrder,
  WalletOutcome,
  WalletPresentation,
  WalletRefundOrder,
} from '../../payment/contracts/wallet-host.ts';
import { type Fields, isFields } from './fields.ts';
import { hostTimes } from './host-time.ts';
import { minorDigits } from './request.ts';
import { cancelFlags, declineReason, meaningOf } from './respcd.ts';
import { asksFor, parseMerchantPresented } from '../../codecs/qr/merchant-presented.ts';

/** Payload format indicator. No web address begins so. */
const emvcoBegin = '000201';

/**
 * `isEmvco`: the wallet's code is always an EMVCo payload. The text to draw; undefined if it can't belong to this
 * order. An EMVCo payload must be complete and ask for this amount in this currency. Any other text (String(512),
 * published) can't be checked further.
 */
function checkPresentedCode(order: PresentedOrder, qrcode: unknown, isEmvco: boolean): string | undefined {
  if (typeof qrcode !== 'string' || qrcode === '' || Array.from(qrcode).length > 512) return undefined;
  if (!isEmvco && !qrcode.startsWith(emvcoBegin)) {
    return /^[\x21-\x7e]+$/.test(qrcode) ? qrcode : undefined;
  }
  const code = parseMerchantPresented(qrcode);
  return code.kind === 'code' && asksFor(code, order.amount) ? qrcode : undefined;
}

/** The request fields that an answer repeats. */
const repeated = ['out_trade_no', 'txamt', 'txcurrcd'] as const;
type Repeated = (typeof repeated)[number];

const garbled = { kind: 'unknown', reason: 'garbled-answer' } as const satisfies WalletOutcome;

/** Interprets an answer to a payment. */
export function walletPayment(order: WalletOrder, fields: Fields): WalletOutcome {
  return outcome(order, fields, repeated);
}

/** Interprets an answer to a payment that requested a code to show. `isEmvco`: it must be an EMVCo payload. */
export function walletPresentation(order: PresentedOrder, fields: Fields, isEmvco: boolean): WalletPresentation {
  const ordered = walletPayment(order, fields);
  // An order that is already in process was not meant to be paid by this code.
  if (ordered.kind === 'waiting') return unknownAtHost(ordered.responseCode);
  if (ordered.kind !== 'approved') return ordered;
  const payload = checkPresentedCode(order, fields['qrcode'], isEmvco);
  return payload === undefined ? garbled : { kind: 'code', payload };
}

/**
 * Interprets an answer to a refund. The published form has no order number and no currency, but the payment's number.
 */
export function walletRefund(order: WalletRefundOrder, fields: Fields): WalletOutcome {
  const original = fields['orig_syssn'];
  if (isGiven(original) && !isText(original, order.originalNumber)) return garbled;
  return outcome(order, fields, ['txamt']);
}

/**
 * Fail-safe: an answer about another order or amount, or an approval that does not repeat its own, is neither approval
 * nor decline.
 */
function outcome(order: WalletOrder, fields: Fields, needed: readonly Repeated[]): WalletOutcome {
  const respcd = meaningOf(fields['respcd']);
  if (!respcd || contradicts(order, fields)) return garbled;
  switch (respcd.meaning) {
    case 'paid':
      return approval(order, fields, needed) ?? garbled;
    case 'waiting':
      return { kind: 'waiting', responseCode: respcd.code };
    case 'duplicate':
    case 'confirmFirst':
    case 'ended':
    case 'unknown':
    case 'noSuchOrder':
    case 'notOperational':
    case 'excess':
    case 'unlisted':
      return unknownAtHost(respcd.code);
    case 'closed':
    case 'expired':
    case 'refused':
    case 'notCommissioned':
      return { kind: 'declined', reason: declineReason(respcd.code), responseCode: respcd.code };
    default:
      return respcd.meaning satisfies never;
  }
}

function unknownAtHost(responseCode: string) {
  return { kind: 'unknown', reason: 'unknown-at-host', responseCode } as const satisfies WalletOutcome;
}

/** Interprets an answer to an enquiry for one order. No single answer proves that there is no such order. */
export function walletFinding(
  order: WalletOrder,
  fields: Fields,
): Exclude<WalletFinding, { readonly kind: 'noSuchOrder' }> {
  const meaning = meaningOf(fields['respcd'])?.meaning;
  if (meaning === 'noSuchOrder' || meaning === 'notOperational') return { kind: 'notFound' };
  const rows = fields['data'];
  if (meaning !== 'paid' || !Array.isArray(rows)) return { kind: 'unknown' };
  // Rows about other orders only are not an answer.
  if (rows.length === 0) return { kind: 'notFound' };
  const own = rows.filter((row): row is Fields => isFields(row) && row['out_trade_no'] === order.tradeNo);
  const [row] = own;
  return row && own.length === 1 ? findingIn(order, row) : { kind: 'unknown' };
}

function findingIn(order: WalletOrder, row: Fields): ReturnType<typeof walletFinding> {
  const respcd = meaningOf(row['respcd']);
  if (!respcd || contradicts(order, row)) return { kind: 'unknown' };
  const givenBack = includes(cancelFlags.givenBack, row['cancel']);
  switch (respcd.meaning) {
    case 'paid':
      if (givenBack) return { kind: 'refunded', ...(isHostNumber(row['syssn']) ? { hostNumber: row['syssn'] } : {}) };
      if (!includes(cancelFlags.stands, row['cancel'])) return { kind: 'unknown' };
      return approval(order, row, repeated) ?? { kind: 'unknown' };
    case 'waiting':
      return { kind: givenBack ? 'closed' : 'waiting' };
    case 'closed':
    case 'expired':
      return { kind: 'closed' };
    case 'duplicate':
    case 'confirmFirst':
    case 'ended':
    case 'unknown':
    case 'noSuchOrder':
    case 'notOperational':
    case 'excess':
    case 'unlisted':
      return { kind: 'unknown' };
    case 'refused':
    case 'notCommissioned':
      return { kind: 'declined', reason: declineReason(respcd.code), responseCode: respcd.code };
    default:
      return respcd.meaning satisfies never;
  }
}

/**
 * Interprets an answer to a reversal or a close. `isQuiet`: no request of the order can be on its way any more. "In
 * progress" and host faults prove nothing: the order must be enquired.
 */
export function walletClosing(order: WalletOrder, fields: Fields, isQuiet: boolean): WalletClosing {
  const respcd = meaningOf(fields['respcd']);
  if (!respcd || contradicts(order, fields)) return { kind: 'unanswered' };
  const { code: responseCode, meaning } = respcd;
  switch (meaning) {
    case 'paid':
    case 'closed':
    case 'ended':
      return { kind: 'closed' };
    case 'noSuchOrder':
    case 'notOperational':
      return isQuiet ? { kind: meaning, responseCode } : { kind: 'unanswered', request: 'arrived' };
    case 'unknown':
      return { kind: 'unanswered', request: 'arrived' };
    // The reversal is in progress: the host may carry it out at any time.
    case 'waiting':
      return { kind: 'unanswered' };
    case 'duplicate':
    case 'confirmFirst':
    case 'expired':
    case 'excess':
    case 'refused':
    case 'notCommissioned':
    case 'unlisted':
      return { kind: 'refused', responseCode };
    default:
      return meaning satisfies never;
  }
}

/** Undefined if the approval does not repeat its order, or lacks the number that a refund will need. */
function approval(order: WalletOrder, fields: Fields, needed: readonly Repeated[]): WalletApproved | undefined {
  if (!needed.every((name) => isGiven(fields[name]))) return undefined;
  const { syssn, chnlsn, sysdtm } = fields;
  if (!isHostNumber(syssn)) return undefined;
  const times = isGiven(sysdtm) ? hostTimes(sysdtm) : { hostTime: '', hostDate: '' };
  if (!times) return undefined;
  // The number is only printed and journalled; no payment depends on it.
  const walletNumber = typeof chnlsn === 'string' && /^[\x21-\x7e]{1,64}$/.test(chnlsn) ? chnlsn : '';
  return { kind: 'approved', hostNumber: syssn, walletNumber, ...times };
}

function isHostNumber(value: unknown): value is string {
  return typeof value === 'string' && /^[\dA-Za-z_-]{1,128}$/.test(value);
}

/** Whether the answer is about another order or amount. A missing or empty field contradicts nothing. */
function contradicts(order: WalletOrder, fields: Fields): boolean {
  const asked: Readonly<Record<Repeated, string>> = {
    out_trade_no: order.tradeNo,
    txamt: minorDigits(order.amount),
    txcurrcd: order.amount.currency,
  };
  return repeated.some((name) => isGiven(fields[name]) && !isText(fields[name], asked[name]));
}

/** Published examples give `txamt` both as a number and as text. */
function isText(value: unknown, text: string): boolean {
  return value === text || (typeof value === 'number' && String(value) === text);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function includes(flags: readonly string[], value: unknown): boolean {
  return flags.some((flag) => isText(value, flag));
}
