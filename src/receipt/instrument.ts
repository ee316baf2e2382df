import { isKnownEntryMode } from '../base/domain/entry-mode.ts';
import { isKnownScheme } from '../base/domain/payment-scheme.ts';
import type { ReceiptCard, ReceiptDocument, ReceiptOctopus } from './document.ts';
import { type PairLine, pair, pairs } from './line.ts';
import type { Words } from './words.ts';

/** The means of payment, with its own identifiers. */
export function instrumentLines(document: ReceiptDocument, words: Words): PairLine[] {
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
