import path from 'node:path';
import {
  type AcquirerId,
  acquirerId,
  ownPosIds,
  type TerminalTransactionId,
} from '../../src/base/domain/identifiers.ts';
import { failure } from '../../src/payment/events/conclusion.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { conclusionOf } from '../../src/payment/transaction/decide.ts';
import { accepted, draft, fromOne, numbered } from '../journal/events.ts';
import { wallet } from '../support/events.ts';
import { answered, ended, outcomes, reversalQueued } from '../payment/records/records.ts';

export const EDC: AcquirerId = acquirerId('EDC');
const at = '2026-01-01T00:00:00.000Z';

export const approved = [answered(outcomes.approved), ended(conclusionOf(outcomes.approved))];
export const declined = [answered(outcomes.declined), ended(conclusionOf(outcomes.declined))];
export const unknown = [
  answered(outcomes.unknown),
  reversalQueued,
  ended(failure('ERROR', 'noAnswer', 'it is taken back')),
];

/** A journal that a daemon has left behind, written as the daemon writes it. */
export class ShopJournal {
  readonly store: JournalStore;
  readonly file: string;
  #ordinal = 0;

  constructor(stateDir: string) {
    this.file = path.join(stateDir, 'journal.db');
    this.store = new JournalStore(this.file, () => new Date(at), fromOne);
  }

  /** A sale of 30.00 HKD, or another kind, and what became of it. */
  sell(events: readonly JournalEvent[], fields: Partial<ReturnType<typeof accepted>> = {}) {
    const id = numbered(++this.#ordinal);
    this.store.open(id, { ...accepted(`M-${this.#ordinal}`), ...fields });
    this.store.intend(id, draft(), events);
    return id;
  }

  /** A sale by a code, in addition to the sale that this transaction is. */
  addPayment(originalId: TerminalTransactionId): void {
    const id = numbered(++this.#ordinal);
    const { kind: _kind, trace: _trace, ...intent } = wallet;
    const identity = { posId: ownPosIds.terminal, isStray: true, originalId } as const;
    this.store.open(id, { ...accepted(`M-${this.#ordinal}`), ...identity });
    this.store.intend(id, { ...intent, acquirerId: EDC }, approved);
  }

  /** Accepted, and cut off before anything was sent. */
  acceptOnly(): void {
    this.store.open(numbered(++this.#ordinal), accepted(`M-${this.#ordinal}`));
  }

  /** Closes the open batch of one sale. */
  closeBatch(): number {
    const batch = this.store.openBatch(EDC);
    const none = { count: 0, totalMinor: '0' };
    this.store.closeBatch({
      acquirerId: EDC,
      batch,
      at,
      totals: [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }],
      currencies: [{ currency: 'HKD', sales: { count: 1, totalMinor: '3000' }, refunds: none }],
      mark: this.store.batchMark(EDC, batch),
      mayStayUnknown: true,
    });
    return batch;
  }

  /** The host has agreed to that batch. */
  settle(batch: number): void {
    const id = numbered(++this.#ordinal);
    this.store.openSettlement({ id, posId: 'POS-1', messageId: `S-${batch}`, digest: 'd', at });
    const result = { acquirerId: EDC, mid: '', tid: '', batch, result: 'BALANCED', totals: [] } as const;
    this.store.endSettlement(id, [result], false);
  }
}
