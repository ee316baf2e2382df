import { type Amount, majorText } from '../domain/amount.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { ReceiptCash, ReceiptDocument } from './document.ts';
import { type PairLine, pair, pairs } from './line.ts';
import type { Words } from './words.ts';

/**
 * The total, preceded by its parts and followed by cash, change and balance. Throws RangeError if the parts do not add
 * up to the total: a receipt that does not add up is worse than none.
 */
export function amountLines(document: ReceiptDocument, { amounts }: Words): PairLine[] {
  const { outcome, transactionType, amount, cash, octopus, method } = document;
  const balance = octopus?.balance ?? method?.balance;
  if (cash) checkCash(cash, amount);
  const total = outcome === 'APPROVED' ? amounts[totals[transactionType]] : amounts.amount;
  return [
    ...partLines(document, amounts),
    pair(total, signedText(amount, signs[transactionType]), 'double'),
    ...pairs(
      [amounts.tendered, cash && signedText(cash.tendered)],
      [amounts.change, cash && signedText(cash.change)],
      [amounts.balance, balance && signedText(balance)],
    ),
  ];
}

/** The sign is '-' if the money leaves the shop's takings. */
export function signedText(amount: Amount, sign: Sign = ''): string {
  return `${amount.currency} ${sign}${majorText(amount)}`;
}

function partLines({ transactionType, amount, tip, eps }: ReceiptDocument, amounts: Words['amounts']): PairLine[] {
  const cashback = eps?.cashback;
  const parts = [tip, cashback].filter((part) => part !== undefined);
  if (parts.length === 0) return [];
  const base = parts.reduce((rest, part) => rest - part.minor, amount.minor);
  if (base < 0n || parts.some(({ currency, minor }) => currency !== amount.currency || minor < 0n)) {
    throw new RangeError('tip and cashback are not parts of the amount');
  }
  const sign = signs[transactionType];
  return pairs(
    [cashback ? amounts.purchase : amounts.base, signedText({ ...amount, minor: base }, sign)],
    [amounts.tip, tip && signedText(tip, sign)],
    [amounts.cashback, cashback && signedText(cashback, sign)],
  );
}

function checkCash({ tendered, change }: ReceiptCash, amount: Amount): void {
  const isOwn = [tendered, change].every(({ currency }) => currency === amount.currency);
  if (!isOwn || change.minor < 0n || tendered.minor - change.minor !== amount.minor) {
    throw new RangeError('cash and change do not add up to the amount');
  }
}

type Sign = '' | '-';

/**
 * The sign of the amount, seen from the shop's takings: a slip that reduces them has a minus, so that the slips of a
 * day add up to its settlement. A void of a refund increases them. VOID itself is printed only if its original is not
 * known.
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

/** The label of an approved amount. A hold is not a total, because nothing was paid. */
const totals = {
  SALE: 'total',
  TIP_ADJUST: 'total',
  AUTH: 'hold',
  OFFLINE_SALE: 'total',
  AUTH_COMP: 'total',
  REFUND: 'total',
  VOID_SALE: 'total',
  VOID_AUTH: 'hold',
  VOID_OFFLINE: 'total',
  VOID_AUTH_COMP: 'total',
  VOID_REFUND: 'total',
  VOID: 'total',
} as const satisfies Record<TransactionType, keyof Words['amounts']>;
