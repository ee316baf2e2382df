import type { HostClock } from './clock.ts';
import { amountText } from './merchant-code.ts';
import type { Currency, Flow } from './wallet.ts';

/**
 * REVERSED: an unpaid sale that a reversal ended, or a refund that one took back. CLOSED: closed, or expired unpaid.
 */
export type OrderStatus = 'PENDING' | 'POSTED' | 'CLOSED' | 'REVERSED' | 'FAILED';

/** What a pending sale waits for: a scan of its code, the customer's password, or a number of enquiries. */
export type Waiting =
  | { readonly for: 'scan' }
  | { readonly for: 'password' }
  | { readonly for: 'wallet'; readonly enquiries: number };

/** The code of a merchant-presented sale. */
export interface ShownCode {
  readonly text: string;
  readonly expiresAt: Date;
  /** A phone rejects it: its checksum is wrong. */
  readonly unreadable: boolean;
  /** The terminal has received it. A code that never reached a screen can't be paid. */
  sent: boolean;
}

interface Booked {
  readonly tradeNo: string;
  readonly syssn: string;
  /** The wallet's code. */
  readonly wallet: string;
  readonly payType: string;
  readonly currency: Currency;
  readonly amountMinor: bigint;
  /** The terminal's time and name of it. */
  readonly txdtm: string;
  readonly udid: string;
  /** The signed part of its request: a repeat has the same. */
  readonly content: string;
  /** When it was accepted, by the host's clock. */
  readonly at: Date;
  /** The same by the true time. */
  readonly trueMs: number;
  status: OrderStatus;
  /** Its code in an enquiry. */
  respcd: string;
  /** When the money moved, and the wallet's own number of that. */
  paid: { readonly at: Date; readonly trueMs: number; readonly chnlsn: string } | undefined;
}

export interface Sale extends Booked {
  readonly kind: 'SALE';
  readonly flow: Flow;
  readonly code?: ShownCode;
  /** Its code once the customer has acted. */
  readonly verdict: string;
  waiting: Waiting | undefined;
  /** Sum of its refunds in effect. */
  refundedMinor: bigint;
}

export interface Refund extends Booked {
  readonly kind: 'REFUND';
  readonly original: Sale;
}

export type Order = Sale | Refund;

/** An order as the control API shows it. */
export interface QfpayLedgerEntry {
  /** `out_trade_no`. */
  readonly tradeNo: string;
  readonly syssn: string;
  readonly kind: Order['kind'];
  readonly wallet: string;
  readonly status: OrderStatus;
  /** Minor units, digits without leading zeros. */
  readonly amountMinor: string;
  /** Major units with both decimals: '30.00'. */
  readonly amount: string;
  readonly currency: Currency;
  /** For a sale: the sum of its refunds in effect; missing if there are none. */
  readonly refundedMinor?: string;
  /** Of a refund: `out_trade_no` of its sale. */
  readonly originalTradeNo?: string;
  readonly payType: string;
  /** Its current code in an enquiry. */
  readonly respcd: string;
  /** `udid`, empty where the request had none. */
  readonly udid: string;
  /** ISO 8601, UTC: when the request came, by the true time. */
  readonly at: string;
  /** The same by the host's clock and time zone. */
  readonly sysdtm: string;
}

export function ledgerEntry(order: Order, clock: HostClock): QfpayLedgerEntry {
  const { tradeNo, syssn, kind, wallet, status, currency, amountMinor, payType, respcd, udid, at, trueMs } = order;
  return {
    tradeNo,
    syssn,
    kind,
    wallet,
    status,
    amountMinor: amountMinor.toString(),
    amount: amountText(amountMinor),
    currency,
    ...(kind === 'SALE' && order.refundedMinor > 0n && { refundedMinor: order.refundedMinor.toString() }),
    ...(kind === 'REFUND' && { originalTradeNo: order.original.tradeNo }),
    payType,
    respcd,
    udid,
    at: new Date(trueMs).toISOString(),
    sysdtm: clock.text(at),
  };
}
