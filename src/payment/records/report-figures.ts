import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { KindTotal } from '../events/settlement.ts';
import { type OptionTotal, optionTotals } from './option-totals.ts';
import type { ReportItem } from './batch.ts';
import type { CashReturn } from './cash-returns.ts';
import { countOpenings, type DrawerCount, type DrawerOpening } from './drawer-openings.ts';
import { cashbackOf, cashOf, groupItems, type GroupTotal } from './report.ts';

/** One batch of an acquirer, as it stands now. */
export interface ReportedBatch {
  readonly acquirerId: AcquirerId;
  /** The merchant that has this acquirer; absent if all merchants share it. */
  readonly merchantId?: string;
  readonly batch: number;
  /** It takes the present payments. */
  readonly isOpen: boolean;
  readonly totals: readonly KindTotal[];
  /** Auths that still hold a customer's money. */
  readonly openAuths: readonly KindTotal[];
  /** Voids; what they voided is in no total. */
  readonly voids: readonly KindTotal[];
  /** Transactions of its acquirer without a known outcome, which are in no total. Of the open batch alone. */
  readonly unresolved: readonly KindTotal[];
  readonly items: readonly ReportItem[];
  /** What the operator has given back in cash while it was open. */
  readonly cashReturns: readonly CashReturn[];
  /** How often a cash sale opened the drawer; 0 on a terminal without one. */
  readonly drawerSales: number;
  /** Of the batch that takes the cash; without cash, of the first acquirer's. */
  readonly drawerOpenings: readonly DrawerOpening[];
  /** How many transactions can't be read: they are in no total. */
  readonly unreadable: number;
}

/** What batches hold, summed for people: X if one of them is open, otherwise Z. */
export interface ReportFigures {
  readonly kind: 'X' | 'Z';
  /** By currency; without a name. */
  readonly sums: readonly GroupTotal[];
  /** By the kind of means: card, wallet, cash. */
  readonly methods: readonly GroupTotal[];
  /** By brand: VISA, ALIPAY, CASH. */
  readonly brands: readonly GroupTotal[];
  readonly tills: readonly GroupTotal[];
  /** Empty without merchants. */
  readonly merchants: readonly GroupTotal[];
  readonly cashiers: readonly GroupTotal[];
  /** What sale options have added, by option and currency. */
  readonly options: readonly OptionTotal[];
  readonly cashback: ReturnType<typeof cashbackOf>;
  /** What the drawer should have more than before, by currency. */
  readonly cash: ReturnType<typeof cashOf>;
  readonly drawerSales: number;
  /** Who opened the drawer without a sale. */
  readonly drawerOpenings: readonly DrawerCount[];
}

export function reportFigures(batches: readonly ReportedBatch[]): ReportFigures {
  const items = batches.flatMap((each) => each.items);
  return {
    kind: batches.some(({ isOpen }) => isOpen) ? 'X' : 'Z',
    sums: groupItems(items, 'currency'),
    methods: groupItems(items, 'method'),
    brands: groupItems(items, 'paymentMethod'),
    tills: groupItems(items, 'posId'),
    merchants: groupItems(
      items.filter(({ record }) => record.request.merchantId !== undefined),
      'merchantId',
    ),
    cashiers: groupItems(items, 'cashierId'),
    options: optionTotals(items),
    cashback: cashbackOf(items),
    cash: cashOf(
      items,
      batches.flatMap((each) => each.cashReturns),
    ),
    drawerSales: batches.reduce((sum, each) => sum + each.drawerSales, 0),
    drawerOpenings: countOpenings(batches.flatMap((each) => each.drawerOpenings)),
  };
}
