import { type Amount, majorText } from '../domain/amount.ts';
import { presentsCard } from '../domain/capability.ts';
import type { EntryMode } from '../domain/entry-mode.ts';
import type { PaymentMethod } from '../domain/payment-method.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptHost, ReceiptOriginal } from './document.ts';
import { dateTimeLine, merchantLine, shopLines, sixDigits } from './heading.ts';
import { blank, centred, fitted, type PairLine, pair, pairs, type ReceiptLine, rule, type TextLine } from './line.ts';

/**
 * Lays a receipt out for paper of `columns` cells. Nothing is cut: what is too long is wrapped, and what is too long for
 * double size is set in normal size. Throws RangeError for columns that are none of `receiptColumns`, and for a tip that
 * is no part of the amount.
 */
export function receiptLines(document: ReceiptDocument, columns: number): ReceiptLine[] {
  const { shop, host, card } = document;
  const lines = [
    ...shopLines(shop),
    blank,
    ...(document.duplicate === true ? [centred('*** DUPLICATE ***', 'bold'), blank] : []),
    pair(document.transactionType.replaceAll('_', ' '), `${document.copy} COPY`, 'bold'),
    rule,
    dateTimeLine(document.at, document.timeZone),
    ...(host ? hostLines(host) : []),
    ...(document.original ? originalLines(document.original) : []),
    rule,
    pair(methodNames[document.paymentMethod], entryModeNames[document.entryMode]),
    ...(card ? cardLines(card) : []),
    blank,
    ...amountLines(document),
    blank,
    centred(document.outcome, 'double'),
    ...outcomeLines(document),
    ...verificationLines(document, columns),
    blank,
    centred(document.terminalTransactionId),
  ];
  return fitted(lines, columns);
}

function hostLines(host: ReceiptHost): PairLine[] {
  return [
    merchantLine(host),
    ...pairs(
      ['BATCH', sixDigits(host.batch)],
      ['INVOICE', sixDigits(host.invoice)],
      ['TRACE', sixDigits(host.stan)],
      ['RRN', host.rrn],
    ),
  ];
}

function originalLines(original: ReceiptOriginal): PairLine[] {
  return pairs(
    ['ORIGINAL INVOICE', sixDigits(original.invoice)],
    ['ORIGINAL RRN', original.rrn],
    ['ORIGINAL APPROVAL CODE', original.approvalCode],
    ['ORIGINAL AMOUNT', original.amount && signedText(original.amount, '')],
    ['ORIGINAL ID', original.terminalTransactionId],
  );
}

function cardLines(card: ReceiptCard): PairLine[] {
  return pairs(
    ['CARD', maskedOnly(card.maskedPan)],
    ['APP', card.appName],
    ['AID', card.aid],
    [card.cryptogram?.kind ?? 'TC', card.cryptogram?.value],
    ['ATC', card.atc],
    ['TVR', card.tvr],
    ['TSI', card.tsi],
  );
}

/** The total, and above it what it is made of. */
function amountLines({ outcome, transactionType, amount, tip }: ReceiptDocument): PairLine[] {
  const sign = signs[transactionType];
  const total = outcome === 'APPROVED' ? totalNames[transactionType] : 'AMOUNT';
  const parts: PairLine[] = [];
  if (tip) {
    if (tip.currency !== amount.currency || tip.minor < 0n || tip.minor > amount.minor) {
      throw new RangeError('the tip is no part of the amount');
    }
    parts.push(
      pair('BASE', signedText({ ...amount, minor: amount.minor - tip.minor }, sign)),
      pair('TIP', signedText(tip, sign)),
    );
  }
  return [...parts, pair(total, signedText(amount, sign), 'double')];
}

function signedText(amount: Amount, sign: Sign): string {
  return `${amount.currency} ${sign}${majorText(amount)}`;
}

function outcomeLines({ outcome, transactionType, host }: ReceiptDocument): TextLine[] {
  switch (outcome) {
    case 'APPROVED': {
      const note = notes[transactionType];
      return [
        ...(host?.approvalCode ? [centred(`APPROVAL CODE ${host.approvalCode}`, 'bold')] : []),
        ...(note === undefined ? [] : [blank, centred(note)]),
      ];
    }
    case 'DECLINED':
      return host?.responseCode ? [centred(`RESPONSE CODE ${host.responseCode}`)] : [];
    case 'ERROR':
      return [];
    default:
      return outcome satisfies never;
  }
}

/**
 * How the cardholder was verified, where one was there: a void, a tip adjust and a completion go by the original's card
 * data, whose CVM was for the original. Only the merchant's copy is signed.
 */
function verificationLines(document: ReceiptDocument, columns: number): TextLine[] {
  const { outcome, transactionType, card, copy } = document;
  if (!card || outcome !== 'APPROVED' || transactionType === 'VOID' || !presentsCard(transactionType)) return [];
  switch (card.authenticationMethod) {
    case 'SIGNATURE':
      return copy === 'MERCHANT' ? signatureLines(columns) : [];
    case 'OFFLINE_PIN_AND_SIGNATURE':
      return [blank, centred('PIN VERIFIED'), ...(copy === 'MERCHANT' ? signatureLines(columns) : [])];
    case 'OFFLINE_PIN':
    case 'ONLINE_PIN':
      return [blank, centred('PIN VERIFIED')];
    case 'CONSUMER_DEVICE':
      return [blank, centred('VERIFIED BY CUSTOMER DEVICE'), centred('NO SIGNATURE REQUIRED')];
    case 'NO_CVM':
      return [blank, centred('NO SIGNATURE REQUIRED')];
    case 'UNKNOWN_METHOD':
      return [];
    default:
      return card.authenticationMethod satisfies never;
  }
}

/** Room for a pen, then the line to sign on. */
function signatureLines(columns: number): TextLine[] {
  return [blank, blank, blank, centred(`X${'_'.repeat(columns - 1)}`), centred('CUSTOMER SIGNATURE')];
}

/** Fails closed: what does not look like four last digits behind asterisks has no digits at all. */
function maskedOnly(maskedPan: string): string {
  return /^\*{4,15}\d{4}$/.test(maskedPan) ? maskedPan : '*'.repeat(16);
}

type Sign = '' | '-';

/**
 * Which way the money goes, seen from the shop's takings: what a slip takes from them has a minus, so that the slips of a
 * day add up to its settlement. A void of a refund gives back. VOID alone is printed only where its original is unknown.
 */
const signs = {
  SALE: '',
  TIP_ADJUST: '',
  AUTH: '',
  OFFLINE_SALE: '',
  AUTH_COMP: '',
  REFUND: '-',
  VOID_SALE: '-',
  VOID_AUTH: '-',
  VOID_OFFLINE: '-',
  VOID_AUTH_COMP: '-',
  VOID_REFUND: '',
  VOID: '-',
} as const satisfies Record<TransactionType, Sign>;

/** What the amount is called once approved: a hold is no total, nothing was paid. */
const totalNames = {
  SALE: 'TOTAL',
  TIP_ADJUST: 'TOTAL',
  AUTH: 'HOLD',
  OFFLINE_SALE: 'TOTAL',
  AUTH_COMP: 'TOTAL',
  REFUND: 'TOTAL',
  VOID_SALE: 'TOTAL',
  VOID_AUTH: 'HOLD',
  VOID_OFFLINE: 'TOTAL',
  VOID_AUTH_COMP: 'TOTAL',
  VOID_REFUND: 'TOTAL',
  VOID: 'TOTAL',
} as const satisfies Record<TransactionType, string>;

const notes: Readonly<Partial<Record<TransactionType, string>>> = {
  AUTH: 'AMOUNT HELD, NOT CHARGED YET',
  VOID_AUTH: 'HOLD RELEASED',
};

const methodNames = {
  VISA: 'VISA',
  MASTER: 'MASTERCARD',
  AMEX: 'AMERICAN EXPRESS',
  JCB: 'JCB',
  UNIONPAY: 'UNIONPAY',
  ALIPAY: 'ALIPAY',
  WECHAT: 'WECHAT PAY',
  FPS: 'FPS',
  UPI_QR: 'UNIONPAY QR',
  OCTOPUS: 'OCTOPUS',
  EPS: 'EPS',
  CASH: 'CASH',
} as const satisfies Record<PaymentMethod, string>;

const entryModeNames = {
  CONTACTLESS: 'CONTACTLESS',
  CHIP: 'CHIP',
  MAGSTRIPE: 'SWIPE',
  FALLBACK: 'SWIPE (FALLBACK)',
  MANUAL: 'MANUAL',
  QR_SCAN: 'QR SCANNED',
  QR_PRESENT: 'QR SHOWN',
  CASH: '',
  OCTOPUS: '',
} as const satisfies Record<EntryMode, string>;
