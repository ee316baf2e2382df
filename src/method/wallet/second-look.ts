import { type AcquirerId, type TerminalTransactionId, terminalTransactionId } from '../../domain/identifiers.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { ClosedOrder, JournalEvent, StoredEvent } from '../../events/event.ts';
import type { Journal } from '../../ports/journal.ts';
import type { WalletIntent } from '../../events/intent.ts';
import type { WalletFinding, WalletHost } from '../../ports/wallet-host.ts';
import { readableRecord } from '../../records/record.ts';
import type { Queue } from '../order.ts';
import { strayOf } from '../stray.ts';
import { guarded } from './guarded.ts';
import { orderOf, tradeNo } from './order.ts';

export interface SecondLookOptions {
  readonly journal: Journal;
  readonly wallets: ReadonlyMap<AcquirerId, WalletHost>;
  readonly forwarder: Pick<Queue, 'flush'>;
  readonly clock: Clock;
  readonly random: Random;
  /** How far the slowest host's query may lag behind its books. */
  readonly lagMs: number;
  /** What was called over had been paid. */
  readonly onPaid?: (id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** A host that has called an order over, and shows it no more, is asked so often. */
const looksMax = 30;

type Closed = ClosedOrder & { readonly id: TerminalTransactionId };

/**
 * Orders that a wallet's host has called over are enquired once more when its query can lag behind no more: the customer may have paid
 * at the same moment, and the host have posted it afterwards. What was paid is given back as any other that is called undone; where
 * its transaction went on without it, by one of the terminal's own. Nobody waits for this, and no payment.
 */
export class SecondLook {
  readonly #options: SecondLookOptions;
  /** How often each was looked at, from the first time that it was seen here: what is younger than a whole lag is not. */
  readonly #looks = new Map<string, number>();
  #timer: unknown;
  #closed = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: SecondLookOptions) {
    this.#options = options;
    this.#lookLater();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookLater(): void {
    const { clock, lagMs, onFailure } = this.#options;
    if (this.#closed) return;
    this.#timer = clock.setTimeout(() => {
      this.#looking = this.#look()
        .catch((error: unknown) => onFailure?.(error))
        .finally(() => this.#lookLater());
    }, lagMs);
  }

  async #look(): Promise<void> {
    const orders = await this.#options.journal.closedOrders();
    const names = new Set(orders.map(nameOf));
    for (const name of this.#looks.keys()) if (!names.has(name)) this.#looks.delete(name);
    for (const order of orders) {
      const looks = this.#looks.get(nameOf(order));
      this.#looks.set(nameOf(order), (looks ?? -1) + 1);
      if (looks !== undefined && !this.#closed) await this.#lookedAt(order, looks);
    }
  }

  async #lookedAt(order: Closed, looks: number): Promise<void> {
    const { journal, wallets, onFailure } = this.#options;
    const { id, acquirerId, stan } = order;
    const host = wallets.get(acquirerId);
    const events = await journal.read(id);
    const record = readableRecord(id, events);
    const intent = events.map(({ event }) => event).find((event): event is WalletIntent => isIntentOf(event, order));
    if (!host || !record || !intent) return;
    const verdict = verdictOn(await guarded(host, onFailure).enquire(orderOf(id, intent, record.amount)));
    const done: JournalEvent = { kind: 'orderLookedAt', acquirerId, stan };
    if (verdict === 'over' || (verdict === 'unshown' && looks >= looksMax)) return journal.append(id, [done]);
    if (verdict === 'unshown') return;
    await this.#paid(record, intent, done);
  }

  async #paid(
    record: NonNullable<ReturnType<typeof readableRecord>>,
    intent: WalletIntent,
    done: JournalEvent,
  ): Promise<void> {
    const { journal, forwarder, clock, random, onPaid } = this.#options;
    const { id } = record;
    if (record.intent?.trace.stan === intent.trace.stan && record.intent.acquirerId === intent.acquirerId) {
      // What can't be given back is not known any more, until it is found out.
      const unknown: JournalEvent = { kind: 'answered', outcome: { kind: 'unknown', reason: 'paid-late' } };
      const late: JournalEvent[] = [
        ...(intent.isFinal ? [unknown] : []),
        { kind: 'approvedLate', responseCode: '00', rrn: '' },
        { kind: 'reversalQueued', reason: 'late approval' },
      ];
      await journal.append(id, record.reversal === 'queued' ? [done] : [...late, done]);
    } else {
      const own = { ...intent, tradeNo: tradeNo(id, intent) };
      const { accepted, events } = strayOf(record, own, { responseCode: '00', rrn: '' });
      await journal.open(terminalTransactionId(clock.now(), random.bytes(10)), accepted, events);
      await journal.append(id, [done]);
    }
    onPaid?.(id);
    void forwarder.flush(intent.acquirerId);
  }
}

function nameOf({ id, acquirerId, stan }: Closed): string {
  return `${id} ${acquirerId} ${stan}`;
}

function isIntentOf(event: StoredEvent['event'], { acquirerId, stan }: ClosedOrder): boolean {
  return event.kind === 'intent' && 'wallet' in event && event.acquirerId === acquirerId && event.trace.stan === stan;
}

function verdictOn({ kind }: WalletFinding): 'over' | 'paid' | 'unshown' {
  switch (kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
      return 'over';
    // Whoever can pay it still has to be kept from it.
    case 'approved':
    case 'waiting':
      return 'paid';
    case 'noSuchOrder':
    case 'notFound':
    case 'unknown':
      return 'unshown';
    default:
      return kind satisfies never;
  }
}
