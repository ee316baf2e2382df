import type { Numbers } from '../iso8583/numbers.ts';
import type { HostClock } from './clock.ts';
import type { Form } from './form.ts';
import type { Orders } from './orders.ts';
import type { Phones } from './phones.ts';
import { canonical } from './signature.ts';
import type { Verdict } from './verdict.ts';
import type { Wallets } from './wallets.ts';

/** The parts that every call uses. */
export interface CallParts {
  readonly orders: Orders;
  readonly phones: Phones;
  readonly numbers: Numbers;
  readonly wallets: Wallets;
  readonly clock: HostClock;
}

/**
 * Why a new order under this number is refused: `out_trade_no` is unique over payments and refunds. 1102 for the same
 * request again, 2011 for another one; not published: which of the two a real host answers.
 */
export function refusedNumber({ orders }: CallParts, form: Form, tradeNo: string): Verdict | undefined {
  if (orders.full) return { respcd: '1100' };
  const known = orders.byTradeNo(tradeNo);
  return known && { respcd: known.content === canonical(form) ? '1102' : '2011' };
}
