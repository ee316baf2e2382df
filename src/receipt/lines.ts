import type { PosDetails } from '../domain/pos-details.ts';
import { factsOf, presentsCard } from '../domain/transaction-kind.ts';
import { amountLines, signedText } from './amounts.ts';
import type { ReceiptDocument, ReceiptHost, ReceiptOriginal } from './document.ts';
import { dateTimeLine, duplicateLines, merchantLines, shopLines, sixDigits } from './heading.ts';
import { instrumentLines } from './instrument.ts';
import { wordsOf } from './language.ts';
import { blank, centredLine, fit, type PairLine, pair, pairs, type ReceiptLine, rule, type TextLine } from './line.ts';
import type { Words } from './words.ts';

/**
 * Lays a receipt out for paper of `columns` cells. Nothing is cut: text that is too long is wrapped, and text that is
 * too long for double size is set in normal size. Throws RangeError for a width that is not in `receiptColumns`, and
 * for parts that do not add up to the amount.
 */
export function receiptLines(document: ReceiptDocument, columns: number): ReceiptLine[] {
  const { shop, host, original } = document;
  const words = wordsOf(document.language);
  const lines = [
    ...shopLines(shop),
    blank,
    ...duplicateLines(document.duplicate, words),
    pair(words.kinds[document.transactionType], words.copies[document.copy], 'bold'),
    rule,
    dateTimeLine(document.at, document.timeZone),
    ...posLines(document.pos ?? {}, words),
    ...(host ? hostLines(host, words, columns) : []),
    ...(original ? originalLines(original, words) : []),
    rule,
    ...instrumentLines(document, words),
    blank,
    ...amountLines(document, words),
    blank,
    centredLine(words.outcomes[document.outcome], 'double'),
    ...outcomeLines(document, words),
    ...verificationLines(document, words, columns),
    blank,
    centredLine(document.terminalTransactionId),
  ];
  return fit(lines, columns);
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

function outcomeLines({ outcome, transactionType, host }: ReceiptDocument, { verdict }: Words): TextLine[] {
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
    case 'ERROR':
      return [];
    default:
      return outcome satisfies never;
  }
}

/**
 * How the cardholder was verified, if the card was presented. A void, a tip adjustment and a completion carry the
 * original's card data, and that verification belongs to the original. Only the merchant's copy is signed.
 */
function verificationLines(document: ReceiptDocument, words: Words, columns: number): TextLine[] {
  const { outcome, transactionType, card, copy, original } = document;
  if (!card || outcome !== 'APPROVED' || transactionType === 'VOID' || !presentsCard(transactionType)) return [];
  // The completion of an authorization: nothing was presented for it.
  if (transactionType === 'OFFLINE_SALE' && original) return [];
  const { pinVerified, deviceVerified, noSignature } = words.verification;
  switch (card.authenticationMethod) {
    case 'SIGNATURE':
      return copy === 'MERCHANT' ? signatureLines(words, columns) : [];
    case 'OFFLINE_PIN_AND_SIGNATURE':
      return [blank, centredLine(pinVerified), ...(copy === 'MERCHANT' ? signatureLines(words, columns) : [])];
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

/** Space for a signature, and its line. */
function signatureLines({ verification }: Words, columns: number): TextLine[] {
  return [blank, blank, blank, centredLine(`X${'_'.repeat(columns - 1)}`), centredLine(verification.customerSignature)];
}
