import { type PosDetails, sixDigits } from '../base/domain/identifiers.ts';
import { factsOf, presentsCard } from '../base/domain/transaction-kind.ts';
import type {
  ReceiptCard,
  ReceiptDocument,
  ReceiptHost,
  ReceiptOriginal,
  ReceiptShop,
  ReceiptOctopus,
  ReceiptCash,
} from './document.ts';
import { wordsOf } from './language.ts';
import { filledQr, plainLayout, type ReceiptLayout, type ReceiptSection } from './layout.ts';
import {
  blank,
  centredLine,
  fit,
  type PairLine,
  pair,
  pairs,
  type ReceiptLine,
  rule,
  type TextLine,
  cells,
} from './line.ts';
import { cellWidth } from './line-dots.ts';
import { qrDots } from './qr-dots.ts';
import type { Words } from './words.ts';
import { isKnownEntryMode, isKnownScheme } from '../base/domain/payment-scheme.ts';
import { type Amount, groupedText } from '../base/domain/amount.ts';
import { type Signature, signatureGrid } from '../base/domain/signature.ts';
import { Dots } from './dots.ts';

/** 0.4 mm at 203 dpi: as a pen writes. */
const penDots = 3;

/** A drawn signature, a dot of paper for each point of its grid. */
export function signatureDots(signature: Signature): Dots {
  const dots = new Dots(signatureGrid.width, signatureGrid.height);
  for (const stroke of signature) drawStroke(dots, stroke);
  return dots;
}

function drawStroke(dots: Dots, stroke: readonly number[]): void {
  const [startX = 0, startY = 0] = stroke;
  let [x, y] = [startX, startY];
  press(dots, x, y);
  for (let at = 2; at < stroke.length; at += 2) {
    const [toX = 0, toY = 0] = [stroke[at], stroke[at + 1]];
    const steps = Math.max(Math.abs(toX - x), Math.abs(toY - y));
    for (let step = 1; step <= steps; step++) {
      press(dots, Math.round(x + ((toX - x) * step) / steps), Math.round(y + ((toY - y) * step) / steps));
    }
    [x, y] = [toX, toY];
  }
}

function press(dots: Dots, x: number, y: number): void {
  const half = Math.floor(penDots / 2);
  dots.fill(x - half, y - half, penDots, penDots);
}

export function shopLines(shop: ReceiptShop): TextLine[] {
  const details = [shop.address, shop.phone, shop.email].map((text) => centredLine(text));
  return [centredLine(shop.name, 'double'), ...details].filter((line) => line.text !== '');
}

/** The marks of a receipt that is not the first on paper, or that does not stand any more. */
export function markLines(
  { duplicate, cutOff, voided }: Pick<ReceiptDocument, 'duplicate' | 'cutOff' | 'voided'>,
  { heading }: Words,
): TextLine[] {
  const marks = [
    ...(duplicate === true ? [heading.duplicate] : []),
    ...(cutOff === true ? [heading.cutOff] : []),
    ...(voided === true ? [heading.voided] : []),
  ];
  return marks.length === 0 ? [] : [...marks.map((mark) => centredLine(`*** ${mark} ***`, 'bold')), blank];
}

interface ZoneFormats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

/** By time zone: a format takes longer to make than a whole receipt. A terminal has one zone. */
const formats = new Map<string, ZoneFormats>();

/** '2026-08-25' and '15:30:08' in that IANA time zone. */
export function dateTimeLine(at: Date, timeZone: string): PairLine {
  let zone = formats.get(timeZone);
  if (!zone) formats.set(timeZone, (zone = formatsOf(timeZone)));
  return pair(zone.date.format(at), zone.time.format(at));
}

/** The locale sv-SE formats by ISO 8601. */
function formatsOf(timeZone: string): ZoneFormats {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return {
    date: new Intl.DateTimeFormat('sv-SE', { timeZone, ...digits }),
    time: new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }),
  };
}

/** Merchant and terminal identifier, fields 42 and 41: on one line if both fit. */
export function merchantLines(
  { mid, tid }: { readonly mid: string; readonly tid: string },
  { heading }: Words,
  columns: number,
): PairLine[] {
  const both = pair(`${heading.mid} ${mid}`, `${heading.tid} ${tid}`);
  const fits = cells(both.left) + 1 + cells(both.right) <= columns;
  return mid !== '' && tid !== '' && fits ? [both] : pairs([heading.mid, mid], [heading.tid, tid]);
}

/**
 * Lays a receipt out for paper of `columns` cells. Nothing is cut: text that is too long is wrapped, and text that is
 * too long for double size is set in normal size. Throws RangeError for a width that is not in `receiptColumns`, and
 * for parts that do not add up to the amount.
 */
export function receiptLines(
  document: ReceiptDocument,
  columns: number,
  layout: ReceiptLayout = plainLayout,
): ReceiptLine[] {
  return fit(receiptContent(document, layout, columns), columns);
}

/** The lines, not yet fitted to the paper. */
export function receiptContent(document: ReceiptDocument, layout: ReceiptLayout, columns: number): ReceiptLine[] {
  const words = wordsOf(document.language);
  const lines: ReceiptLine[] = [];
  for (const section of layout.sections) {
    const own = sectionLines[section](document, { words, columns, layout });
    if (own.length > 0) lines.push(...(lines.length > 0 ? (separators[section] ?? []) : []), ...own);
  }
  return lines;
}

interface SectionTerms {
  readonly words: Words;
  readonly columns: number;
  readonly layout: ReceiptLayout;
}

/** The heading of a section. */
const separators: Partial<Record<ReceiptSection, readonly ReceiptLine[]>> = {
  title: [blank],
  time: [rule],
  instrument: [rule],
  amounts: [blank],
  outcome: [blank],
  promotion: [blank],
  qr: [blank],
  footer: [blank],
  id: [blank],
};

const sectionLines: Readonly<
  Record<ReceiptSection, (document: ReceiptDocument, terms: SectionTerms) => readonly ReceiptLine[]>
> = {
  shop: ({ shop }) => shopLines(shop),
  title: (document, { words }) => [
    ...markLines(document, words),
    pair(words.kinds[document.transactionType], words.copies[document.copy], 'bold'),
  ],
  time: ({ at, timeZone }) => [dateTimeLine(at, timeZone)],
  pos: ({ pos = {} }, { words }) => posLines(pos, words),
  host: ({ host }, { words, columns }) => (host ? hostLines(host, words, columns) : []),
  original: ({ original }, { words }) => (original ? originalLines(original, words) : []),
  instrument: (document, { words }) => instrumentLines(document, words),
  amounts: (document, { words }) => amountLines(document, words),
  outcome: (document, { words }) => [
    centredLine(document.voided ? words.heading.voided : words.outcomes[document.outcome], 'double'),
    ...outcomeLines(document, words),
  ],
  verification: (document, { words, columns }) => verificationLines(document, words, columns),
  promotion: (document, { layout }) => promotionLines(document, layout),
  qr: (document, { layout, columns }) => qrLines(document, layout, columns),
  footer: ({ copy }, { layout }) => (copy === 'CUSTOMER' ? layout.footer.map((text) => centredLine(text)) : []),
  id: ({ terminalTransactionId }) => [centredLine(terminalTransactionId)],
};

/** Only the receipt of an approved payment has the shop's other offers. */
function isForCustomer({ copy, outcome, voided }: ReceiptDocument): boolean {
  return copy === 'CUSTOMER' && outcome === 'APPROVED' && voided !== true;
}

function promotionLines(document: ReceiptDocument, { promotion }: ReceiptLayout): TextLine[] {
  const { left: day } = dateTimeLine(document.at, document.timeZone);
  const { lines, from = day, until = day } = promotion;
  return isForCustomer(document) && from <= day && day <= until ? lines.map((text) => centredLine(text, 'bold')) : [];
}

function qrLines(document: ReceiptDocument, { qr }: ReceiptLayout, columns: number): ReceiptLine[] {
  if (qr === '' || !isForCustomer(document)) return [];
  return [{ kind: 'picture', dots: qrDots(filledQr(qr, document), columns * cellWidth) }];
}

function hostLines(host: ReceiptHost, words: Words, columns: number): PairLine[] {
  const { heading } = words;
  return [
    ...merchantLines(host, words, columns),
    ...pairs(
      [heading.batch, sixDigits(host.batch)],
      [heading.invoice, sixDigits(host.invoice)],
      [heading.trace, sixDigits(host.stan)],
      [heading.rrn, host.rrn],
    ),
  ];
}

function posLines({ cashierId, shiftId, posReference }: PosDetails, { heading }: Words): PairLine[] {
  return pairs([heading.cashier, cashierId], [heading.shift, shiftId], [heading.posReference, posReference]);
}

function originalLines(original: ReceiptOriginal, { original: labels }: Words): PairLine[] {
  return pairs(
    [labels.invoice, sixDigits(original.invoice)],
    [labels.rrn, original.rrn],
    [labels.approvalCode, original.approvalCode],
    [labels.hostNumber, original.hostNumber],
    [labels.amount, original.amount && signedText(original.amount)],
    [labels.terminalTransactionId, original.terminalTransactionId],
  );
}

function outcomeLines({ outcome, money, transactionType, host }: ReceiptDocument, { verdict }: Words): TextLine[] {
  switch (outcome) {
    case 'APPROVED': {
      const note = factsOf(transactionType).note;
      return [
        ...(host?.approvalCode ? [centredLine(`${verdict.approvalCode} ${host.approvalCode}`, 'bold')] : []),
        ...(note === undefined ? [] : [blank, centredLine(verdict[note])]),
      ];
    }
    case 'DECLINED':
      return host?.responseCode ? [centredLine(`${verdict.responseCode} ${host.responseCode}`)] : [];
    case 'UNKNOWN':
      return [blank, centredLine(verdict.mayBeTaken), centredLine(verdict.sameCard)];
    case 'ERROR': {
      if (money === undefined) return [];
      if (money === 'unknown') return [blank, centredLine(verdict.notKnown), centredLine(verdict.askFirst)];
      if (money === 'confirmed') return [blank, centredLine(verdict.confirmed), centredLine(verdict.notAgain)];
      const charges = presentsCard(transactionType) && transactionType !== 'REFUND';
      return [blank, centredLine(verdict.takenBack), ...(charges ? [centredLine(verdict.nothingCharged)] : [])];
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * How the cardholder was verified, if the card was presented. A void, a tip adjustment and a completion carry the
 * original's card data, and that verification belongs to the original. Only the merchant's copy is signed.
 */
function verificationLines(document: ReceiptDocument, words: Words, columns: number): ReceiptLine[] {
  const { outcome, transactionType, card, copy, original } = document;
  if (!card || outcome !== 'APPROVED' || transactionType === 'VOID' || !presentsCard(transactionType)) return [];
  // The completion of an authorization: nothing was presented for it.
  if (transactionType === 'OFFLINE_SALE' && original) return [];
  const { pinVerified, deviceVerified, noSignature } = words.verification;
  switch (card.authenticationMethod) {
    case 'SIGNATURE':
      return copy === 'MERCHANT' ? signatureLines(card, words, columns) : [];
    case 'OFFLINE_PIN_AND_SIGNATURE':
      return [blank, centredLine(pinVerified), ...(copy === 'MERCHANT' ? signatureLines(card, words, columns) : [])];
    case 'OFFLINE_PIN':
    case 'ONLINE_PIN':
      return [blank, centredLine(pinVerified)];
    case 'CONSUMER_DEVICE':
      return [blank, centredLine(deviceVerified), centredLine(noSignature)];
    case 'NO_CVM':
      return [blank, centredLine(noSignature)];
    case 'UNKNOWN_METHOD':
      return [];
    default:
      return card.authenticationMethod satisfies never;
  }
}

/** The signature from the screen, or space for a signature, and its line. */
function signatureLines({ signature }: ReceiptCard, { verification }: Words, columns: number): ReceiptLine[] {
  if (signature) {
    return [blank, { kind: 'picture', dots: signatureDots(signature) }, centredLine(verification.signedOnScreen)];
  }
  return [blank, blank, blank, centredLine(`X${'_'.repeat(columns - 1)}`), centredLine(verification.customerSignature)];
}

/** The means of payment, with its own identifiers. */
function instrumentLines(document: ReceiptDocument, words: Words): PairLine[] {
  const { card, wallet, octopus, eps, method } = document;
  return [
    namesLine(document, words),
    ...(card ? cardLines(card, words) : []),
    ...pairs(
      [words.method.account, eps && words.accounts[eps.account]],
      [words.method.hostNumber, wallet?.hostNumber],
      [words.method.walletNumber, wallet?.walletNumber],
    ),
    ...(octopus ? octopusLines(octopus, words) : []),
    ...pairs(...(method?.lines ?? [])),
  ];
}

/** The method's own name goes before that of the words. A code without a word is printed as it is. */
function namesLine({ paymentMethod, entryMode, method }: ReceiptDocument, words: Words): PairLine {
  const known = isKnownScheme(paymentMethod) ? words.methods[paymentMethod] : paymentMethod;
  const scheme = method?.scheme ?? known;
  const entry = isKnownEntryMode(entryMode) ? words.entryModes[entryMode] : (method?.entryMode ?? entryMode);
  return pair(scheme, entry);
}

function cardLines(card: ReceiptCard, { method }: Words): PairLine[] {
  return pairs(
    [method.card, ensureMasked(card.maskedPan)],
    [method.app, card.appName],
    ['AID', card.aid],
    [card.cryptogram?.kind ?? 'TC', card.cryptogram?.value],
    ['ATC', card.atc],
    ['TVR', card.tvr],
    ['TSI', card.tsi],
  );
}

function octopusLines({ cardLastFour, receipt, deviceId }: ReceiptOctopus, { method }: Words): PairLine[] {
  return pairs(
    [method.octopusNumber, `****${/^\d{4}$/.test(cardLastFour) ? cardLastFour : '****'}`],
    [method.deviceId, deviceId],
    [method.octopusReceipt, receipt],
  );
}

/** Fails closed: a value that is not asterisks followed by four digits is printed without digits. */
function ensureMasked(maskedPan: string): string {
  return /^\*{4,15}\d{4}$/.test(maskedPan) ? maskedPan : '*'.repeat(16);
}

/**
 * The total, preceded by its parts and followed by cash, change and balance. Throws RangeError if the parts do not add
 * up to the total: a receipt that does not add up is worse than none.
 */
function amountLines(document: ReceiptDocument, { amounts }: Words): PairLine[] {
  const { outcome, transactionType, amount, cash, octopus, method, final, refunded } = document;
  const balance = octopus?.balance ?? method?.balance;
  if (cash) checkCash(cash, amount);
  const total = outcome === 'APPROVED' ? amounts[factsOf(transactionType).amount] : amounts.amount;
  return [
    ...partLines(document, amounts),
    pair(total, signedText(amount, factsOf(transactionType).sign), 'double'),
    ...pairs(
      [amounts.final, final && signedText(final)],
      [amounts.refunded, refunded && signedText(refunded, '-')],
      [amounts.tendered, cash && signedText(cash.tendered)],
      [amounts.change, cash && signedText(cash.change)],
      [amounts.balance, balance && signedText(balance)],
    ),
  ];
}

/** The sign is '-' if the money leaves the shop's takings. */
function signedText(amount: Amount, sign: '' | '-' = ''): string {
  return `${amount.currency} ${sign}${groupedText(amount)}`;
}

function partLines(
  { transactionType, amount, tip, additions = [], eps }: ReceiptDocument,
  amounts: Words['amounts'],
): PairLine[] {
  const cashback = eps?.cashback;
  const parts = [tip, ...additions.map((each) => each.amount), cashback].filter((part) => part !== undefined);
  if (parts.length === 0) return [];
  const base = parts.reduce((rest, part) => rest - part.minor, amount.minor);
  if (base < 0n || parts.some(({ currency, minor }) => currency !== amount.currency || minor < 0n)) {
    throw new RangeError('tip and cashback are not parts of the amount');
  }
  const sign = factsOf(transactionType).sign;
  return pairs(
    [cashback ? amounts.purchase : amounts.base, signedText({ ...amount, minor: base }, sign)],
    [amounts.tip, tip && signedText(tip, sign)],
    ...additions.map((each) => [each.label, signedText(each.amount, sign)] as const),
    [amounts.cashback, cashback && signedText(cashback, sign)],
  );
}

function checkCash({ tendered, change }: ReceiptCash, amount: Amount): void {
  const isOwn = [tendered, change].every(({ currency }) => currency === amount.currency);
  if (!isOwn || change.minor < 0n || tendered.minor - change.minor !== amount.minor) {
    throw new RangeError('cash and change do not add up to the amount');
  }
}
