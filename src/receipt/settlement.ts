import { type Amount, groupedText } from '../base/domain/amount.ts';
import { factsOf, type TransactionKind } from '../base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../base/domain/currency.ts';
import { type AcquirerId, sixDigits } from '../base/domain/identifiers.ts';
import { pad, blank, centredLine, fit, leftLine, type PairLine, pair, pairs, type ReceiptLine, rule } from './line.ts';
import type { ReceiptShop } from './document.ts';
import { dateTimeLine, markLines, merchantLines, shopLines } from './lines.ts';
import type { ReceiptLanguage } from '../base/domain/receipt-language.ts';
import { wordsOf } from './language.ts';
import type { Words } from './words.ts';

/** Count and total of one kind in one currency. The total is never negative: the kind gives the direction. */
export interface SettlementTotal {
  readonly kind: TransactionKind;
  readonly count: number;
  readonly total: Amount;
}

/** An advice that the host rejected: the merchant does not get that money. */
export interface RejectedAdvice {
  readonly terminalTransactionId: string;
  readonly kind: TransactionKind;
  readonly amount: Amount;
  /** The host's code. */
  readonly responseCode: string;
  /** The host accepted it after its sale was settled without it. */
  readonly afterSettlement?: true;
}

/** The settlement of one acquirer's batch. */
export interface SettledBatch {
  readonly acquirer: AcquirerId;
  /** Merchant identifier, field 42; empty for cash and Octopus. */
  readonly mid: string;
  /** Terminal identifier, field 41; empty for cash and Octopus. */
  readonly tid: string;
  readonly batch: number;
  /**
   * Totals in any order of currencies. The net consists of sales, offline sales and completions including tips, without
   * voided and reversed ones, minus refunds. Other kinds are listed below it for information.
   */
  readonly totals: readonly SettlementTotal[];
  /** Not in the totals: transactions without a known outcome, and auths that hold money. */
  readonly unresolved?: readonly SettlementTotal[];
  readonly openAuths?: readonly SettlementTotal[];
  /** Not in the totals. */
  readonly rejected?: readonly RejectedAdvice[];
  /**
   * balanced: both books agree. uploaded: they differed, and the host accepted ours. confirmed: the bank has confirmed
   * it to the operator. failed: the batch is still open.
   */
  readonly result:
    | { readonly kind: 'BALANCED' | 'CONFIRMED' }
    | { readonly kind: 'UPLOADED' | 'FAILED' /** In words. */; readonly reason: string };
}

export interface SettlementReport {
  /** Default: English. */
  readonly language?: ReceiptLanguage;
  /** A reprint: marked DUPLICATE. */
  readonly duplicate?: boolean;
  readonly shop: ReceiptShop;
  /** The time of the settlement, and the terminal's IANA time zone. */
  readonly at: Date;
  readonly timeZone: string;
  readonly batches: readonly SettledBatch[];
}

/** Lays a settlement report out for paper of `columns` cells, by the rules of `receiptLines`. */
export function settlementLines(report: SettlementReport, columns: number): ReceiptLine[] {
  const words = wordsOf(report.language);
  const lines = [
    ...shopLines(report.shop),
    blank,
    ...markLines(report, words),
    centredLine(words.settlement.title, 'double'),
    blank,
    dateTimeLine(report.at, report.timeZone),
    ...report.batches.flatMap((batch) => batchLines(batch, words, columns)),
    rule,
    ...(report.batches.length === 0 ? [centredLine(words.settlement.nothing), rule] : []),
  ];
  return fit(lines, columns);
}

function batchLines(batch: SettledBatch, words: Words, columns: number): ReceiptLine[] {
  const { result, totals } = batch;
  const { settlement } = words;
  const currencies = [...new Set(totals.map(({ total }) => total.currency))];
  return [
    rule,
    pair(batch.acquirer, settlement[result.kind], 'bold'),
    ...('reason' in result ? [leftLine(result.reason)] : []),
    ...(result.kind === 'FAILED' ? [leftLine(settlement.stillOpen)] : []),
    ...(result.kind === 'UPLOADED' ? [leftLine(settlement.differed, 'bold')] : []),
    ...(result.kind === 'CONFIRMED' ? [leftLine(settlement.byTelephone)] : []),
    ...merchantLines(batch, words, columns),
    ...pairs([words.heading.batch, sixDigits(batch.batch)]),
    ...(currencies.length === 0 ? [blank, leftLine(settlement.noTransactions)] : []),
    ...currencies.flatMap((currency) => currencyLines(currency, totals, words)),
    ...asideLines(settlement.unresolved, batch.unresolved ?? [], words),
    ...asideLines(settlement.openAuths, batch.openAuths ?? [], words),
    ...rejectedLines(batch.rejected ?? [], words),
  ];
}

/** Totals that are not in the net, each with its currency. */
export function asideLines(title: string, totals: readonly SettlementTotal[], words: Words): ReceiptLine[] {
  if (totals.length === 0) return [];
  const lines = totals.map(({ kind, count, total }) =>
    pair(`${words.kinds[kind]} ${count}`, `${total.currency} ${groupedText(total)}`),
  );
  return [blank, leftLine(title, 'bold'), ...lines];
}

function rejectedLines(rejected: readonly RejectedAdvice[], words: Words): ReceiptLine[] {
  if (rejected.length === 0) return [];
  return [
    blank,
    leftLine(words.settlement.rejected, 'bold'),
    ...rejected.flatMap(({ terminalTransactionId, kind, amount, responseCode, afterSettlement }) => [
      pair(`${words.kinds[kind]} (${responseCode})`, `${amount.currency} ${groupedText(amount)}`),
      leftLine(terminalTransactionId),
      ...(afterSettlement ? [leftLine(words.settlement.takenLate)] : []),
    ]),
  ];
}

/** Counts and totals in one currency, with their net. */
export function currencyLines(currency: CurrencyCode, totals: readonly SettlementTotal[], words: Words): ReceiptLine[] {
  const own = totals.filter(({ total }) => total.currency === currency);
  const settled = own.filter(({ kind }) => netSign(kind) !== 0n);
  const others = own.filter(({ kind }) => netSign(kind) === 0n);
  const count = settled.reduce((sum, each) => sum + each.count, 0);
  const minor = settled.reduce((sum, { kind, total }) => sum + netSign(kind) * total.minor, 0n);
  return [
    blank,
    leftLine(currency, 'bold'),
    ...settled.map((each) =>
      countLine(words.kinds[each.kind], each.count, { currency, minor: netSign(each.kind) * each.total.minor }),
    ),
    countLine(words.settlement.net, count, { currency, minor }, true),
    ...others.map((each) => countLine(words.kinds[each.kind], each.count, each.total)),
  ];
}

/** 'REFUND             2 … -18.00': counts have their own column, wide enough for a batch of 10,000. */
function countLine(name: string, count: number, amount: Amount, bold = false): PairLine {
  const left = pad(name, 14) + count.toString().padStart(6);
  return { kind: 'pair', left, right: groupedText(amount), bold, size: 'normal' };
}

/** The factor of a kind's total in the net. */
function netSign(kind: TransactionKind): bigint {
  const { adds } = factsOf(kind);
  if (adds === 'sale') return 1n;
  return adds === 'refund' ? -1n : 0n;
}
