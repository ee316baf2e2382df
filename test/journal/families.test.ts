import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { Families } from '../../src/journal/families.ts';
import type { Statements } from '../../src/journal/statements.ts';
import type { Transactions } from '../../src/journal/transactions.ts';
import type { JournalEvent, JournalledTransaction } from '../../src/payment/events/event.ts';
import { accepted, numbered } from './events.ts';

const approved: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };
const cancelled: JournalEvent = { ...approved, outcome: 'error', result: 'TRANSACTION_ALREADY_CANCEL', code: 6 };
const at = '2026-01-20T00:00:00.000Z';

/** Everything is settled. */
const statements = { ids: () => [numbered(1)] } as unknown as Statements;

/** A sale with many refunds, which counts how often the events of one are read. */
class CountedFamily {
  readonly transactions: readonly JournalledTransaction[];
  reads = 0;

  constructor(refunds: number) {
    const sale = this.#made(1, [accepted('M-1'), approved]);
    const later = Array.from({ length: refunds }, (_, index) => {
      const request = { ...accepted(`R-${index}`), type: 'REFUND', originalId: numbered(1) } as const;
      return this.#made(index + 2, [request, cancelled]);
    });
    this.transactions = [sale, ...later];
  }

  #made(ordinal: number, events: readonly JournalEvent[]): JournalledTransaction {
    const stored = events.map((event) => ({ at, event }));
    const note = () => (this.reads += 1);
    const id: TerminalTransactionId = numbered(ordinal);
    return {
      id,
      get events() {
        note();
        return stored;
      },
    };
  }
}

for (const refunds of [10, 2_000]) {
  test(`a sale with ${refunds} refunds: each transaction is read a few times`, () => {
    const families = new Families(statements, {} as Transactions);
    const family = new CountedFamily(refunds);
    assert.equal(families.hasOpenMatter(family.transactions), false);
    assert.equal(families.needsNoCard(family.transactions, new Date('2026-02-01')), true);
    assert.ok(family.reads <= 8 * family.transactions.length, `${family.reads} reads`);
  });
}

test('transactions that refer to each other, in a damaged journal: the search ends', () => {
  const families = new Families(statements, {} as Transactions);
  const request = (own: number, other: number) =>
    ({ ...accepted(`M-${own}`), type: 'REFUND', originalId: numbered(other) }) as const;
  const circle = [
    { id: numbered(1), events: [request(1, 2), cancelled].map((event) => ({ at, event })) },
    { id: numbered(2), events: [request(2, 1), cancelled].map((event) => ({ at, event })) },
  ];
  assert.equal(families.hasOpenMatter(circle), false);
  assert.equal(families.needsNoCard(circle, new Date('2026-02-01')), false);
});
