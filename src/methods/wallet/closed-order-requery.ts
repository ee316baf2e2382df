import { type AcquirerId, type TerminalTransactionId, terminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock, Random } from '../../base/ports/clock.ts';
import type { ClosedOrder, JournalEvent, KeptOrder, StoredEvent } from '../../payment/events/event.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { WalletIntent } from './contract.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import { hostTimeOf } from '../../payment/records/evidence.ts';
import { readableRecord, type TransactionRecord } from '../../payment/records/record.ts';
import type { Queue } from '../../payment/method/order.ts';
import { unmatchedApprovalOf } from '../../payment/method/unmatched-approval.ts';
import { guard } from './guarded.ts';
import { orderOf, tradeNo } from './order.ts';
import { lookAtOrder, type Verdict } from './order-look.ts';

export interface ClosedOrderRequeryOptions {
  readonly journal: Journal;
  readonly wallets: ReadonlyMap<AcquirerId, WalletHost>;
  readonly forwarder: Pick<Queue, 'enqueue'>;
  readonly clock: Clock;
  readonly random: Random;
  /** How far the slowest host's query may lag behind its books, in milliseconds. */
  readonly lagMs: number;
  /** Called for an order that had been closed and was paid after all. */
  readonly onPaid?: (id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** The pause if no host's query lags. */
const pauseMs = 1_000;

/** A settlement stops looking after this many orders without an answer. */
const silentMax = 3;

/**
 * When an order is enquired again. Numbers are lags: 1 and 5 since it was first seen here, then before a settlement,
 * and 1 after that, the last time.
 */
/** How many lags a code that its host refuses to close is closed and enquired again. */
const payableLags = 120;

const looksDue = [1, 5, 'settlement', 1] as const;

/**
 * Enquires closed wallet orders again, once the host's query can't lag behind any more: the customer may have paid at
 * the same moment, and the host may have posted it afterwards. It enquires again some lags later, before the next
 * settlement of that wallet, and a lag after that, because no document limits how late a payment may be posted. An
 * order that was paid after all is refunded like any other payment that was recorded as undone. If its transaction
 * continued with another attempt, a transaction of the terminal itself refunds it. No payment waits for this. If only
 * the operator has entered that an order is unpaid, each enquiry also closes it until its host confirms that.
 */
export class ClosedOrderRequery {
  readonly #options: ClosedOrderRequeryOptions;
  /** Lags since each order was first seen here. */
  readonly #lags = new Map<string, number>();
  #timer: unknown;
  #closed = false;
  /** One enquiry after the other, so that no order is found paid twice. */
  #looking: Promise<void> = Promise.resolve();

  constructor(options: ClosedOrderRequeryOptions) {
    this.#options = options;
    this.#lookLater();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#looking;
  }

  /**
   * Enquires this wallet's orders before its settlement. If the host does not answer, they wait for the next
   * settlement.
   */
  beforeSettlement(acquirerId: AcquirerId): Promise<void> {
    const looking = this.#looking.then(async () => {
      let silent = 0;
      for (const order of await this.#options.journal.closedOrders()) {
        if (order.acquirerId !== acquirerId || this.#closed || silent >= silentMax) continue;
        // A younger order is enquired too, but this settlement does not count as its look.
        const isDue = looksDue[order.looks] === 'settlement';
        const verdict = await this.#lookAt(order, isDue ? [lookedAtEvent(order)] : []);
        if (verdict === 'silent') silent += 1;
        else if (isDue) this.#lags.delete(nameOf(order));
      }
    });
    this.#looking = this.#guard(looking);
    return looking;
  }

  #lookLater(): void {
    const { clock, lagMs } = this.#options;
    if (this.#closed) return;
    this.#timer = clock.setTimeout(
      () => {
        this.#looking = this.#guard(this.#looking.then(() => this.#look())).finally(() => this.#lookLater());
      },
      Math.max(lagMs, pauseMs),
    );
  }

  #guard(looking: Promise<void>): Promise<void> {
    return looking.catch((error: unknown) => this.#options.onFailure?.(error));
  }

  async #look(): Promise<void> {
    const orders = await this.#options.journal.closedOrders();
    const names = new Set(orders.map(nameOf));
    for (const name of this.#lags.keys()) if (!names.has(name)) this.#lags.delete(name);
    for (const order of orders) {
      const lags = (this.#lags.get(nameOf(order)) ?? -1) + 1;
      this.#lags.set(nameOf(order), lags);
      const due = looksDue[order.looks];
      if (due === 'settlement' || lags < (due ?? 0) || this.#closed) continue;
      const isLast = order.looks + 1 >= looksDue.length;
      const verdict = await this.#lookAt(order, [isLast ? lastLookedAtEvent(order) : lookedAtEvent(order)]);
      // Its code has expired by then, whatever its host says.
      if (verdict === 'payable' && lags >= payableLags)
        await this.#options.journal.append(order.id, [lastLookedAtEvent(order)]);
    }
  }

  /** `over`: the events to write if the order is still closed. */
  async #lookAt(order: KeptOrder, over: readonly JournalEvent[]): Promise<Verdict | 'gone'> {
    const { journal, wallets, onFailure } = this.#options;
    const { id, acquirerId } = order;
    const host = wallets.get(acquirerId);
    const events = await journal.read(id);
    const record = readableRecord(id, events);
    const intent = events.map(({ event }) => event).find((event): event is WalletIntent => isIntentOf(event, order));
    // A transaction in progress enquires its closed orders itself, before anything else is charged.
    if (!host || !record?.conclusion || !intent) return 'gone';
    // If a card then covered a part of the sale, the wallet's order was still for the whole amount.
    const { requested: amount = record.amount } = record;
    const named = orderOf(id, { ...hostTimeOf(events, order), ...intent }, amount);
    const verdict = await lookAtOrder(named, intent, isOpen(record, order), guard(host, onFailure));
    if (verdict === 'paid') await this.#handlePaid(record, intent, lastLookedAtEvent(order));
    if (verdict === 'over' && over.length > 0) await journal.append(id, over);
    return verdict;
  }

  async #handlePaid(record: TransactionRecord, intent: WalletIntent, done: JournalEvent): Promise<void> {
    const { forwarder, onPaid } = this.#options;
    await forwarder.enqueue(intent.acquirerId, () => this.#writePaid(record, intent, done));
    onPaid?.(record.id);
  }

  async #writePaid(record: TransactionRecord, intent: WalletIntent, done: JournalEvent): Promise<void> {
    const { journal, clock, random } = this.#options;
    const { id } = record;
    if (record.intent?.trace.stan === intent.trace.stan && record.intent.acquirerId === intent.acquirerId) {
      // A payment that can't be refunded is unknown again until it is resolved.
      const unknown: JournalEvent = { kind: 'answered', outcome: { kind: 'unknown', reason: 'paid-late' } };
      const late: JournalEvent[] = [
        ...(intent.isFinal ? [unknown] : []),
        { kind: 'approvedLate', responseCode: '00', rrn: '' },
        { kind: 'reversalQueued', reason: 'late approval' },
      ];
      await journal.append(id, record.reversal === 'queued' ? [done] : [...late, done]);
    } else {
      const own = { ...intent, tradeNo: tradeNo(id, intent) };
      const { accepted, events } = unmatchedApprovalOf(record, own, { responseCode: '00', rrn: '' });
      await journal.open(terminalTransactionId(clock.now(), random.bytes(10)), accepted, events);
      await journal.append(id, [done]);
    }
  }
}

function lookedAtEvent({ acquirerId, stan }: ClosedOrder): JournalEvent {
  return { kind: 'orderLookedAt', acquirerId, stan };
}

function lastLookedAtEvent({ acquirerId, stan }: ClosedOrder): JournalEvent {
  return { kind: 'orderLookedAt', acquirerId, stan, isLast: true };
}

/** Whether only the operator has entered that the order is unpaid, and no enquiry has found it over since. */
function isOpen({ unlooked = [] }: TransactionRecord, { acquirerId, stan, looks }: KeptOrder): boolean {
  if (looks > 0) return false;
  return unlooked.some((each) => each.acquirerId === acquirerId && each.stan === stan && each.isOpen === true);
}

function nameOf({ id, acquirerId, stan }: KeptOrder): string {
  return `${id} ${acquirerId} ${stan}`;
}

function isIntentOf(event: StoredEvent['event'], { acquirerId, stan }: ClosedOrder): boolean {
  return event.kind === 'intent' && 'wallet' in event && event.acquirerId === acquirerId && event.trace.stan === stan;
}
