import type { HostClock } from './clock.ts';
import type { Order, Refund, Sale } from './order.ts';
import type { Currency } from './wallet.ts';

const ordersMax = 100_000;

/** The books: every accepted order in order of arrival, and the transitions between its states. */
export class Orders {
  readonly #clock: HostClock;
  readonly #orders: Order[] = [];
  readonly #byTradeNo = new Map<string, Order>();
  readonly #bySyssn = new Map<string, Order>();
  #serial = 0;

  constructor(clock: HostClock) {
    this.#clock = clock;
  }

  get full(): boolean {
    return this.#orders.length >= ordersMax;
  }

  /** A new number: the day and 18 digits, as in the published examples. */
  syssn(): string {
    return `${this.#day()}0002000${this.#nextSerial(11)}`;
  }

  add<T extends Order>(order: T): T {
    this.#orders.push(order);
    this.#byTradeNo.set(order.tradeNo, order);
    this.#bySyssn.set(order.syssn, order);
    return order;
  }

  byTradeNo(tradeNo: string): Order | undefined {
    return current(this.#byTradeNo.get(tradeNo), this.#clock.now());
  }

  bySyssn(syssn: string): Order | undefined {
    return current(this.#bySyssn.get(syssn), this.#clock.now());
  }

  /** Oldest first. */
  all(): readonly Order[] {
    const now = this.#clock.now();
    for (const order of this.#orders) current(order, now);
    return this.#orders;
  }

  /** The newest sale that waits for the customer. */
  newestWaiting(what: 'scan' | 'password'): Sale | undefined {
    return this.all().findLast((order): order is Sale => order.kind === 'SALE' && waitsForCustomer(order, what));
  }

  /** The money moves. */
  post(order: Order): void {
    order.status = 'POSTED';
    order.respcd = '0000';
    order.paid = {
      at: this.#clock.now(),
      trueMs: this.#clock.trueMs(),
      chnlsn: `${this.#day()}22001${this.#nextSerial(15)}`,
    };
    if (order.kind === 'SALE') order.waiting = undefined;
    else order.original.refundedMinor += order.amountMinor;
  }

  fail(order: Order, respcd: string): void {
    order.status = 'FAILED';
    order.respcd = respcd;
    if (order.kind === 'SALE') order.waiting = undefined;
  }

  /** The customer has acted. */
  decide(sale: Sale): void {
    if (sale.verdict === '0000') this.post(sale);
    else this.fail(sale, sale.verdict);
  }

  takeBack(refund: Refund): void {
    refund.status = 'REVERSED';
    refund.original.refundedMinor -= refund.amountMinor;
  }

  /** Sales less refunds of this day and currency: QFPay, FAQ 6 gives no more back than that. */
  todaysMinor(asked: Currency): bigint {
    const now = this.#clock.now();
    let sum = 0n;
    for (const { kind, status, currency, paid, amountMinor } of this.#orders) {
      if (currency === asked && status === 'POSTED' && paid && this.#clock.isSameDay(paid.at, now))
        sum += kind === 'SALE' ? amountMinor : -amountMinor;
    }
    return sum;
  }

  clear(): void {
    this.#orders.length = 0;
    this.#byTradeNo.clear();
    this.#bySyssn.clear();
  }

  #day(): string {
    return this.#clock.text(this.#clock.now()).slice(0, 10).replaceAll('-', '');
  }

  #nextSerial(digits: number): string {
    this.#serial += 1;
    return this.#serial.toString().padStart(digits, '0');
  }
}

/** Expires an order when it is read: there is no timer. */
function current(order: Order | undefined, now: Date): Order | undefined {
  if (order?.kind === 'SALE' && order.waiting?.for === 'scan' && order.code && order.code.expiresAt <= now) {
    order.status = 'CLOSED';
    order.respcd = '1181';
    order.waiting = undefined;
  }
  return order;
}

function waitsForCustomer({ waiting, code }: Sale, what: 'scan' | 'password'): boolean {
  return waiting?.for === what && (what === 'password' || code?.sent === true);
}
