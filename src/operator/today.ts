import { parseMajor } from '../base/domain/amount.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Clock } from '../base/ports/clock.ts';
import { maskedNumberOf } from '../payment/records/payment.ts';
import type { Present } from '../payment/records/present.ts';
import type { TransactionRecord } from '../payment/records/record.ts';
import { countOpenings, type DrawerCount, type DrawerOpening } from '../payment/records/drawer-openings.ts';
import { isOf } from '../payment/records/whose.ts';
import type { MenuAsked } from './menu-request.ts';
import { type MenuState, menuState, type Listed, listRecord } from './listed.ts';

/** A transaction of the journal's list. */
type DayItem = { readonly id: TerminalTransactionId; readonly posId: string; readonly place: number } & (
  | ({ readonly kind: 'ended'; readonly record: TransactionRecord } & Present)
  | { readonly kind: 'running' | 'unreadable' }
);

/** The list of transactions, as for every POS. */
export interface DayLists {
  page(
    query: { readonly order: 'newest'; readonly since?: Date; readonly until?: Date; readonly limit: number },
    from?: number,
  ): Promise<{ readonly items: readonly DayItem[]; readonly next?: number } | 'busy'>;
}

export interface DayParts {
  readonly lists: DayLists;
  readonly isIdle: () => boolean;
  readonly clock: Pick<Clock, 'now'>;
  /** Openings of the drawer without a sale; absent on a terminal without a printer. */
  readonly drawer?: { openings(): Promise<readonly DrawerOpening[]> } | undefined;
}

export interface ListedDay extends Listed {
  readonly state: MenuState;
  readonly posId: string;
  /** The merchant that was paid; absent without one. */
  readonly merchantId?: string;
}

/** `next`: where the list continues; absent at its end. */
export interface Day {
  readonly transactions: readonly ListedDay[];
  readonly next?: number;
}

/** `holds`: authorizations of any day that still hold a customer's money, also those of settled batches. */
type Search = Pick<
  MenuAsked<'today'>,
  'amount' | 'lastFour' | 'since' | 'until' | 'posId' | 'merchantId' | 'holds' | 'after'
>;

/** Limits: the transactions of one answer, of one read, and read for one answer, because a search may find nothing. */
const shownMax = 20;
const pageMost = 50;
const readMost = 5_000;

/**
 * Transactions of this local day that fit a search, or holds of any day, the latest first. 'busy' as soon as a payment
 * runs, so that its commits are not delayed. Rejects with JournalError.
 */
export async function readDay(search: Search, { lists, isIdle, clock }: DayParts): Promise<Day | 'busy'> {
  const query = { order: 'newest', ...sinceOf(search, clock), limit: pageMost } as const;
  const until = search.until === undefined ? {} : { until: new Date(search.until) };
  const transactions: ListedDay[] = [];
  let [from, read] = [search.after, 0];
  do {
    if (!isIdle()) return 'busy';
    const page = await lists.page({ ...query, ...until }, from);
    if (page === 'busy') return 'busy';
    for (const item of page.items) {
      read += 1;
      from = item.place;
      if (fits(item, search)) transactions.push(...listItem(item));
      if (transactions.length === shownMax) return { transactions, next: from };
    }
    from = page.next;
  } while (from !== undefined && read < readMost);
  return { transactions, ...(from === undefined ? {} : { next: from }) };
}

/** The drawer openings without a sale on this local day. */
export async function readOpeningsToday({ drawer, clock }: Pick<DayParts, 'drawer' | 'clock'>): Promise<DrawerCount[]> {
  const since = startOfDay(clock.now()).getTime();
  return countOpenings(((await drawer?.openings()) ?? []).filter(({ at }) => Date.parse(at) >= since));
}

function sinceOf({ holds, since }: Search, clock: DayParts['clock']): { readonly since?: Date } {
  if (!holds) return { since: later(startOfDay(clock.now()), since) };
  return since === undefined ? {} : { since: new Date(since) };
}

function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}

function later(one: Date, other: string | undefined): Date {
  return other === undefined ? one : new Date(Math.max(one.getTime(), Date.parse(other)));
}

/** An unreadable one is matched only by the fields that its list knows. */
function fits(item: DayItem, { amount, lastFour, posId, merchantId, holds }: Search): boolean {
  if (posId !== undefined && item.posId !== posId) return false;
  if (holds && !isHold(item)) return false;
  if (item.kind !== 'ended') return [amount, lastFour, merchantId].every((each) => each === undefined);
  if (!isOf(item.record, { merchantId })) return false;
  const { intent, amount: own } = item.record;
  if (lastFour !== undefined && !(intent && maskedNumberOf(intent).endsWith(lastFour))) return false;
  if (amount === undefined) return true;
  const wanted = parseMajor(amount, own.currency);
  return typeof wanted !== 'string' && wanted.minor === own.minor;
}

/** It is approved, and neither completed nor voided. */
function isHold(item: DayItem): boolean {
  return item.kind === 'ended' && item.record.request.type === 'AUTH' && item.status === 'APPROVED';
}

function listItem(item: DayItem): ListedDay[] {
  const { id, posId } = item;
  switch (item.kind) {
    case 'ended': {
      const { merchantId } = item.record.request;
      const merchant = merchantId === undefined ? {} : { merchantId };
      return [{ ...listRecord(item.record, item), posId, ...merchant, state: menuState(item.record, item.status) }];
    }
    case 'unreadable': {
      const nothing = { kind: '' as const, method: '', lastDigits: '', amount: '', currency: '', at: '' };
      return [{ id, posId, ...nothing, state: 'UNREADABLE' }];
    }
    case 'running':
      return [];
    default:
      return item satisfies never;
  }
}
