import { amountText, type Currency } from './currency.ts';
import type { Posting } from './posting.ts';

export interface Sum {
  readonly count: number;
  readonly amountMinor: bigint;
}

/** The totals of field 63 that are used here. */
export interface Totals {
  readonly sales: Sum;
  readonly refunds: Sum;
}

/** Totals as the control API shows them; amounts in major units. */
export interface ShownTotals {
  readonly sales: { readonly count: number; readonly amount: string };
  readonly refunds: { readonly count: number; readonly amount: string };
}

const amountDigits = 12;
const sumsOfField63 = 6;
const none: Sum = { count: 0, amountMinor: 0n };
const noTotals: Totals = { sales: none, refunds: none };

/**
 * Field 63: six times count and amount: sales, refunds, and four that are zero here. Counts have three digits, or all
 * of them six (fixtures/README.md, assumed). Undefined for any other form.
 */
export function readTotals(field63: string): Totals | undefined {
  const countDigits = field63.length / sumsOfField63 - amountDigits;
  if (!/^\d+$/.test(field63) || (countDigits !== 3 && countDigits !== 6)) return undefined;
  const width = countDigits + amountDigits;
  const [sales = none, refunds = none, ...rest] = Array.from({ length: sumsOfField63 }, (_, index): Sum => {
    const sum = field63.slice(index * width, (index + 1) * width);
    return { count: Number(sum.slice(0, countDigits)), amountMinor: BigInt(sum.slice(countDigits)) };
  });
  const unused = rest.every(({ count, amountMinor }) => count === 0 && amountMinor === 0n);
  return unused ? { sales, refunds } : undefined;
}

/** Sales are sales, offline sales and completions, with tips. */
export function totalsOf(postings: Iterable<Pick<Posting, 'kind' | 'amountMinor'>>): Totals {
  let { sales, refunds } = noTotals;
  for (const { kind, amountMinor } of postings) {
    if (kind === 'REFUND') refunds = plus(refunds, amountMinor);
    else sales = plus(sales, amountMinor);
  }
  return { sales, refunds };
}

export function areEqual(one: Totals, other: Totals): boolean {
  return sameSum(one.sales, other.sales) && sameSum(one.refunds, other.refunds);
}

export function shown({ sales, refunds }: Totals, currency: Currency): ShownTotals {
  return {
    sales: { count: sales.count, amount: amountText(sales.amountMinor, currency) },
    refunds: { count: refunds.count, amount: amountText(refunds.amountMinor, currency) },
  };
}

function plus({ count, amountMinor }: Sum, more: bigint): Sum {
  return { count: count + 1, amountMinor: amountMinor + more };
}

function sameSum(one: Sum, other: Sum): boolean {
  return one.count === other.count && one.amountMinor === other.amountMinor;
}
