import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { ReportItem } from './batch.ts';
import type { CashReturn } from './cash-returns.ts';
import { instrumentOf, paymentSchemeOf } from './payment.ts';
import type { TransactionRecord } from './record.ts';
import { hasSucceeded } from './transaction-status.ts';

/** By what a report sums; `method`: by the kind of means, `currency`: all of one together. */
type Grouping = 'paymentMethod' | 'posId' | 'merchantId' | 'cashierId' | 'method' | 'currency';

/**
 * What one name has taken and given back in one currency. Voided and reversed transactions, and auths, are in no sum.
 */
export interface GroupTotal {
  /** Empty for transactions without a cashier. */
  readonly name: string;
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly minor: bigint };
  readonly refunds: { readonly count: number; readonly minor: bigint };
  /** Part of the sales. */
  readonly tipMinor: bigint;
  /** Part of the sales: of those whose tip was adjusted, and of completions, what was charged in the end. */
  readonly finalMinor: bigint;
  /** What refunds of the same batch have given back of the sales. */
  readonly refundedMinor: bigint;
}

/** The sums of these items, in the order of their names. */
export function groupItems(items: readonly ReportItem[], grouping: Grouping): GroupTotal[] {
  const groups = Map.groupBy(items, (item) => `${item.record.amount.currency} ${nameOf(item, grouping)}`);
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, group]) => totalOf(group, grouping));
}

function totalOf(group: readonly ReportItem[], grouping: Grouping): GroupTotal[] {
  const [first] = group;
  if (!first) return [];
  const sum = (items: readonly ReportItem[]) => ({
    // A tip raises a sale that has been counted.
    count: items.filter(({ kind }) => kind !== 'TIP_ADJUST').length,
    minor: items.reduce((total, { minor }) => total + minor, 0n),
  });
  return [
    {
      name: nameOf(first, grouping),
      currency: first.record.amount.currency,
      sales: sum(group.filter(({ kind }) => kind !== 'REFUND')),
      refunds: sum(group.filter(({ kind }) => kind === 'REFUND')),
      tipMinor: group.reduce((total, { tipMinor }) => total + tipMinor, 0n),
      finalMinor: sum(group.filter(({ isFinal }) => isFinal)).minor,
      refundedMinor: group.reduce((total, { refundedMinor }) => total + refundedMinor, 0n),
    },
  ];
}

function nameOf({ record: { request, intent } }: ReportItem, grouping: Grouping): string {
  switch (grouping) {
    case 'paymentMethod':
      return intent ? paymentSchemeOf(intent) : '';
    case 'posId':
      return request.posId;
    case 'merchantId':
      return request.merchantId ?? '';
    case 'cashierId':
      return request.cashierId ?? '';
    case 'method':
      return intent ? instrumentOf(intent).name : '';
    case 'currency':
      return '';
    default:
      return grouping satisfies never;
  }
}

/**
 * What these transactions have put into the drawer, per currency: cash sales, less cash refunds, the cash back of other
 * methods, and what the operator has given back in cash.
 */
export function cashOf(
  items: readonly ReportItem[],
  returns: readonly CashReturn[],
): { readonly currency: CurrencyCode; readonly minor: bigint }[] {
  const sums = new Map<CurrencyCode, bigint>();
  for (const { amount } of returns) sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) - amount.minor);
  for (const { record, kind, minor } of items) {
    const { intent, amount } = record;
    const isCash = intent !== undefined && paymentSchemeOf(intent) === 'CASH';
    const taken = isCash ? (kind === 'REFUND' ? -minor : minor) : 0n;
    const given = readCashback(record);
    if (isCash || given > 0n) sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + taken - given);
  }
  return [...sums].map(([currency, minor]) => ({ currency, minor }));
}

/** How many sales were paid in cash or gave cash back: each has asked the drawer to open once. */
export function cashSalesOf(items: readonly ReportItem[]): number {
  return items.filter(({ record }) => {
    const isCash = record.intent !== undefined && paymentSchemeOf(record.intent) === 'CASH';
    return isCash || readCashback(record) > 0n;
  }).length;
}

/** Cash that was given to customers out of their payments, per currency. */
export function cashbackOf(
  items: readonly ReportItem[],
): { readonly currency: CurrencyCode; readonly count: number; readonly minor: bigint }[] {
  const given = items.filter(({ record }) => readCashback(record) > 0n);
  const groups = Map.groupBy(given, ({ record }) => record.amount.currency);
  return [...groups].map(([currency, group]) => ({
    currency,
    count: group.length,
    minor: group.reduce((sum, { record }) => sum + readCashback(record), 0n),
  }));
}

/** Nobody hands out cash for a payment that succeeded late. One that only the bank has confirmed is no success. */
function readCashback(record: TransactionRecord): bigint {
  return hasSucceeded(record) && !record.succeededLate ? BigInt(record.request.cashbackMinor ?? '0') : 0n;
}
