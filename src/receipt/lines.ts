import { majorText } from '../domain/amount.ts';
import type { EntryMode } from '../domain/entry-mode.ts';
import type { PaymentMethod } from '../domain/payment-method.ts';
import { cells, printable, wrapped } from './cells.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptHost, ReceiptShop } from './document.ts';

interface TextLine {
  readonly kind: 'text';
  readonly text: string;
  readonly align: 'left' | 'center' | 'right';
  readonly bold: boolean;
  /** double: twice as wide and twice as high, so half as many cells in a line. */
  readonly size: 'normal' | 'double';
}

/** `left` at the left edge and `right` at the right edge of one line. */
interface PairLine {
  readonly kind: 'pair';
  readonly left: string;
  readonly right: string;
  readonly bold: boolean;
  readonly size: 'normal' | 'double';
}

/** A line from edge to edge. */
interface RuleLine {
  readonly kind: 'rule';
}

/** One line of paper. Its text fits into the columns it was laid out for, and holds no control characters. */
export type ReceiptLine = TextLine | PairLine | RuleLine;

/** Columns of font A that receipt printers have, from 58 mm to 80 mm paper: the widths that the encoder can do. */
export const receiptColumns = [32, 35, 42, 44, 48] as const;

/**
 * Lays a receipt out for paper of `columns` cells. Nothing is cut: what is too long is wrapped, and what is too long for
 * double size is set in normal size. Throws RangeError for columns that are none of `receiptColumns`.
 */
export function receiptLines(document: ReceiptDocument, columns: number): ReceiptLine[] {
  if (!receiptColumns.some((each) => each === columns)) {
    throw new RangeError(`a receipt has ${receiptColumns.join(', ')} columns, not ${columns}`);
  }
  const { shop, host, card } = document;
  return [
    ...shopLines(shop),
    blank,
    ...(document.duplicate === true ? [centred('*** DUPLICATE ***', 'bold'), blank] : []),
    pair(document.transactionType.replaceAll('_', ' '), `${document.copy} COPY`, 'bold'),
    rule,
    pair(...localDateTime(document.at, document.timeZone)),
    ...(host ? hostLines(host) : []),
    rule,
    pair(methodNames[document.paymentMethod], entryModeNames[document.entryMode]),
    ...(card ? cardLines(card) : []),
    blank,
    pair(
      document.outcome === 'APPROVED' ? 'TOTAL' : 'AMOUNT',
      `${document.amount.currency} ${majorText(document.amount)}`,
      'double',
    ),
    blank,
    centred(document.outcome, 'double'),
    ...outcomeLines(document),
    ...verificationLines(document, columns),
    blank,
    centred(document.terminalTransactionId),
  ].flatMap((line) => fitted(line, columns));
}

const blank: TextLine = { kind: 'text', text: '', align: 'left', bold: false, size: 'normal' };
const rule: RuleLine = { kind: 'rule' };

type Weight = 'plain' | 'bold' | 'double';

function styled(weight: Weight): Pick<TextLine, 'bold' | 'size'> {
  return { bold: weight !== 'plain', size: weight === 'double' ? 'double' : 'normal' };
}

function centred(text: string, weight: Weight = 'plain'): TextLine {
  return { kind: 'text', text: printable(text), align: 'center', ...styled(weight) };
}

function pair(left: string, right: string, weight: Weight = 'plain'): PairLine {
  return { kind: 'pair', left: printable(left), right: printable(right), ...styled(weight) };
}

/** A pair for each value that is there. */
function pairs(...values: readonly (readonly [label: string, value: string | undefined])[]): PairLine[] {
  return values.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [pair(label, value)]));
}

function shopLines(shop: ReceiptShop): TextLine[] {
  const details = [shop.address, shop.phone, shop.email].map((text) => centred(text));
  return [centred(shop.name, 'double'), ...details].filter((line) => line.text !== '');
}

function hostLines(host: ReceiptHost): PairLine[] {
  return [
    pair(`MID ${host.mid}`, `TID ${host.tid}`),
    ...pairs(
      ['BATCH', sixDigits(host.batch)],
      ['INVOICE', sixDigits(host.invoice)],
      ['TRACE', sixDigits(host.stan)],
      ['RRN', host.rrn],
    ),
  ];
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

function outcomeLines({ outcome, host }: ReceiptDocument): TextLine[] {
  switch (outcome) {
    case 'APPROVED':
      return host?.approvalCode ? [centred(`APPROVAL CODE ${host.approvalCode}`, 'bold')] : [];
    case 'DECLINED':
      return host?.responseCode ? [centred(`RESPONSE CODE ${host.responseCode}`)] : [];
    case 'ERROR':
      return [];
    default:
      return outcome satisfies never;
  }
}

/** How the cardholder was verified; only the merchant's copy is signed. */
function verificationLines({ outcome, card, copy }: ReceiptDocument, columns: number): TextLine[] {
  if (!card || outcome !== 'APPROVED') return [];
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

/** Makes a line as many lines as it needs. */
function fitted(line: ReceiptLine, columns: number): ReceiptLine[] {
  switch (line.kind) {
    case 'rule':
      return [line];
    case 'text': {
      const width = cellsPerLine(line.size, columns);
      if (line.size === 'double' && line.text.split(' ').some((word) => cells(word) > width)) {
        return fitted({ ...line, size: 'normal' }, columns);
      }
      return wrapped(line.text, width).map((text) => ({ ...line, text }));
    }
    case 'pair': {
      const { kind: _, left, right, ...style } = line;
      if (cells(left) + 1 + cells(right) <= cellsPerLine(line.size, columns)) return [line];
      if (line.size === 'double') return fitted({ ...line, size: 'normal' }, columns);
      return [
        ...fitted({ kind: 'text', text: left, align: 'left', ...style }, columns),
        ...fitted({ kind: 'text', text: right, align: 'right', ...style }, columns),
      ];
    }
    default:
      return line satisfies never;
  }
}

/** Cells in a line of that size. */
export function cellsPerLine(size: TextLine['size'], columns: number): number {
  return size === 'double' ? Math.floor(columns / 2) : columns;
}

/** Fails closed: what does not look like four last digits behind asterisks has no digits at all. */
function maskedOnly(maskedPan: string): string {
  return /^\*{4,15}\d{4}$/.test(maskedPan) ? maskedPan : '*'.repeat(16);
}

function sixDigits(value: number | undefined): string | undefined {
  return value?.toString().padStart(6, '0');
}

/** '2026-08-25' and '15:30:08' on the clocks of that zone: Swedish custom is ISO 8601. */
function localDateTime(at: Date, timeZone: string): [date: string, time: string] {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return [
    new Intl.DateTimeFormat('sv-SE', { timeZone, ...digits }).format(at),
    new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }).format(at),
  ];
}

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
