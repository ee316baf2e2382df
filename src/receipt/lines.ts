import type { PosDetails } from '../base/domain/pos-details.ts';
import { factsOf, presentsCard } from '../base/domain/transaction-kind.ts';
import { sixDigits } from '../base/domain/trace-numbers.ts';
import { amountLines, signedText } from './amounts.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptHost, ReceiptOriginal } from './document.ts';
import { dateTimeLine, markLines, merchantLines, shopLines } from './heading.ts';
import { instrumentLines } from './instrument.ts';
import { wordsOf } from './language.ts';
import { filledQr, plainLayout, type ReceiptLayout, type ReceiptSection } from './layout.ts';
import { blank, centredLine, fit, type PairLine, pair, pairs, type ReceiptLine, rule, type TextLine } from './line.ts';
import { cellWidth } from './line-dots.ts';
import { qrDots } from './qr-dots.ts';
import { signatureDots } from './signature-dots.ts';
import type { Words } from './words.ts';

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

/** What stands above a section. */
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

/** Whoever pays, and has paid, is told of the shop's other offers; a slip about trouble has none. */
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

/** What the customer has drawn on the screen; or space for a signature, and its line. */
function signatureLines({ signature }: ReceiptCard, { verification }: Words, columns: number): ReceiptLine[] {
  if (signature) {
    return [blank, { kind: 'picture', dots: signatureDots(signature) }, centredLine(verification.signedOnScreen)];
  }
  return [blank, blank, blank, centredLine(`X${'_'.repeat(columns - 1)}`), centredLine(verification.customerSignature)];
}
