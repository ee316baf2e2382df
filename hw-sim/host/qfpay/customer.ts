import type { HostClock } from './clock.ts';
import { ledgerEntry, type QfpayLedgerEntry, type Sale } from './order.ts';
import type { Orders } from './orders.ts';

/** The result of the customer's action, with the order as it is now; or why nothing happened. */
export type CustomerOutcome =
  | { readonly done: true; readonly order: QfpayLedgerEntry }
  | {
      readonly done: false;
      readonly why:
        | 'no code is on show'
        | 'no such code'
        | 'the code is damaged'
        | 'the code is paid'
        | 'the code is closed'
        | 'the code has expired'
        | 'nobody is asked for a password';
    };

/** The customer scans a code and pays: the named one, or the newest that a terminal was given. */
export function payCode(orders: Orders, clock: HostClock, qr: string | undefined): CustomerOutcome {
  const sale = qr === undefined ? orders.newestWaiting('scan') : withCode(orders, qr);
  if (!sale) return { done: false, why: qr === undefined ? 'no code is on show' : 'no such code' };
  if (sale.code?.unreadable === true) return { done: false, why: 'the code is damaged' };
  if (sale.status === 'POSTED') return { done: false, why: 'the code is paid' };
  if (sale.respcd === '1181') return { done: false, why: 'the code has expired' };
  if (sale.status !== 'PENDING') return { done: false, why: 'the code is closed' };
  orders.decide(sale);
  return { done: true, order: ledgerEntry(sale, clock) };
}

/** The customer who was last asked for a password enters it, or refuses. */
export function answerPassword(orders: Orders, clock: HostClock, refusal: string | undefined): CustomerOutcome {
  const sale = orders.newestWaiting('password');
  if (!sale) return { done: false, why: 'nobody is asked for a password' };
  if (refusal === undefined) orders.decide(sale);
  else orders.fail(sale, refusal);
  return { done: true, order: ledgerEntry(sale, clock) };
}

function withCode(orders: Orders, qr: string): Sale | undefined {
  return orders.all().findLast((order): order is Sale => order.kind === 'SALE' && order.code?.text === qr);
}
