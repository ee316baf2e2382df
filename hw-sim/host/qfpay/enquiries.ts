import type { CallParts } from './call-parts.ts';
import { wrong } from './fields.ts';
import type { Form } from './form.ts';
import type { QfpayHostMode } from './mode.ts';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';
import { copyOf } from './query-copy.ts';
import type { Verdict } from './verdict.ts';

const defaultPageSize = 10;
const dayDigits = 8;

/**
 * /trade/v1/query: the orders that match all its fields, newest first. Without times it covers only this month, by the
 * host's clock: "required for cross-month queries" (QFPay, enquiry guide). Not published: which of an order's two
 * times counts. It is the host's, or with `queryTime` the terminal's.
 */
export function found(parts: CallParts, form: Form, { queryLagMs = 0, queryTime = 'sysdtm' }: QfpayHostMode): Order[] {
  const { orders, clock } = parts;
  const payTypes = listed(form, 'pay_type');
  const inWindow = windowOf(form, clock.text(clock.now()));
  const asked = named(orders, form)
    .filter(({ txdtm, at }) => inWindow(queryTime === 'txdtm' ? txdtm : clock.text(at)))
    .filter(({ payType }) => payTypes?.has(payType) ?? true);
  for (const order of asked) wait(orders, order);
  const untilMs = clock.trueMs() - queryLagMs;
  const copied = queryLagMs === 0 ? asked : asked.map((order) => copyOf(order, orders, untilMs)).filter(isThere);
  const respcd = form.get('respcd');
  const size = Number(form.get('page_size') ?? defaultPageSize);
  const start = (Number(form.get('page') ?? 1) - 1) * size;
  return (
    copied
      .filter((order) => respcd === undefined || order.respcd === respcd)
      // Numbers ascend within a day; the day before them may go back with the host's clock.
      .toSorted((one, other) => (one.syssn.slice(dayDigits) < other.syssn.slice(dayDigits) ? 1 : -1))
      .slice(start, start + size)
  );
}

/** Refuses a window that ends before it begins, with a finding. Assumed: no page says how a host treats it. */
export function reversedWindow(form: Form): Verdict | undefined {
  const [from, to] = [form.get('start_time'), form.get('end_time')];
  const reversed = from !== undefined && to !== undefined && from > to;
  return reversed ? wrong('an enquiry whose window ends before it begins') : undefined;
}

function isThere(order: Order | undefined): order is Order {
  return order !== undefined;
}

/** In any order. */
function named(orders: Orders, form: Form): readonly Order[] {
  const tradeNos = listed(form, 'out_trade_no');
  const syssns = listed(form, 'syssn');
  if (tradeNos) {
    const known = [...tradeNos].map((tradeNo) => orders.byTradeNo(tradeNo)).filter((order) => order !== undefined);
    return known.filter(({ syssn }) => syssns?.has(syssn) ?? true);
  }
  if (syssns) return [...syssns].map((syssn) => orders.bySyssn(syssn)).filter((order) => order !== undefined);
  return orders.all();
}

/** A payment in processing is decided after this number of enquiries. */
function wait(orders: Orders, order: Order): void {
  if (order.kind !== 'SALE' || order.waiting?.for !== 'wallet') return;
  const { enquiries } = order.waiting;
  if (enquiries === 0) orders.decide(order);
  else order.waiting = { for: 'wallet', enquiries: enquiries - 1 };
}

function windowOf(form: Form, now: string): (time: string) => boolean {
  const from = form.get('start_time');
  const to = form.get('end_time');
  if (from === undefined && to === undefined) return (time) => time.slice(0, 7) === now.slice(0, 7);
  return (time) => (from === undefined || time >= from) && (to === undefined || time <= to);
}

function listed(form: Form, name: string): ReadonlySet<string> | undefined {
  const list = form.get(name);
  return list === undefined ? undefined : new Set(list.split(','));
}
