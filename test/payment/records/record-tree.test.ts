import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { JournalEvent, JournalledTransaction } from '../../../src/payment/events/event.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { presentOf } from '../../../src/payment/records/present.ts';
import { buildTree } from '../../../src/payment/records/record-tree.ts';
import { conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { accepted, intent } from '../../support/events.ts';
import { answered, ended, outcomes, stored } from './records.ts';
import { named } from './trees.ts';

const approval: readonly JournalEvent[] = [intent, answered(outcomes.approved), ended(conclusionOf(outcomes.approved))];
const cancel: readonly JournalEvent[] = [ended(failure('TRANSACTION_ALREADY_CANCEL', 'cancelledByPos', 'cancelled'))];

/** A sale with refunds, in a journal that counts its calls. */
function journalOf(refunds: number, ends: readonly JournalEvent[]) {
  const all: JournalledTransaction[] = [{ id: named('1'), events: stored([accepted, ...approval]) }];
  for (let index = 0; index < refunds; index++) {
    const request = { ...accepted, type: 'REFUND', amountMinor: '1', originalId: named('1') } as const;
    all.push({ id: named(`${index + 2}`), events: stored([request, ...ends]) });
  }
  let calls = 0;
  const journal = {
    read: async (id: TerminalTransactionId) => {
      calls += 1;
      return all.find((each) => each.id === id)?.events ?? [];
    },
    later: async (id: TerminalTransactionId) => {
      calls += 1;
      return id === named('1') ? all.slice(1) : [];
    },
  };
  return { journal, calls: () => calls };
}

test('a sale with many refunds is read by two calls of the journal', async () => {
  const { journal, calls } = journalOf(500, approval);
  const tree = await buildTree(named('1'), journal);
  assert.equal(tree?.later.length, 500);
  assert.equal(calls(), 2);
});

test('of the sale of a refund its own record alone is read, also if the refund was cancelled', async () => {
  const approved = journalOf(500, approval);
  await buildTree(named('2'), approved.journal);
  assert.equal(approved.calls(), 3);
  const cancelled = journalOf(500, cancel);
  await buildTree(named('2'), cancelled.journal);
  assert.equal(cancelled.calls(), 3);
});

for (const [name, void_, status] of [
  ['is voided with its sale', approval, 'VOIDED'],
  ['stays after a void of its sale that was cancelled', cancel, 'APPROVED'],
] as const)
  test(`a tip ${name}`, async () => {
    const about = (type: 'TIP_ADJUST' | 'VOID_SALE') => ({ ...accepted, type, originalId: named('1') }) as const;
    const all: JournalledTransaction[] = [
      { id: named('1'), events: stored([accepted, ...approval]) },
      { id: named('2'), events: stored([about('TIP_ADJUST'), ...approval]) },
      { id: named('3'), events: stored([about('VOID_SALE'), ...void_]) },
    ];
    const tree = await buildTree(named('2'), {
      read: async (id) => all.find((each) => each.id === id)?.events ?? [],
      later: async (id) => (id === named('1') ? all.slice(1) : []),
    });
    assert.equal(tree && presentOf(tree).status, status);
  });
