import { type Amount, groupedText } from '../base/domain/amount.ts';
import { factsOf } from '../base/domain/transaction-kind.ts';
import type { ReceiptCash, ReceiptDocument } from './document.ts';
import { type PairLine, pair, pairs } from './line.ts';
import type { Words } from './words.ts';

/**
 * The total, preceded by its parts and followed by cash, change and balance. Throws RangeError if the parts do not add
 * up to the total: a receipt that does not add up is worse than none.
 */
export function amountLines(document: ReceiptDocument, { amounts }: Words): PairLine[] {
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
export function signedText(amount: Amount, sign: '' | '-' = ''): string {
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
