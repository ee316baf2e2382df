import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { TransactionLists } from '../../../src/payment/terminal/transaction-lists.ts';
import { entriesOf } from '../../../src/payment/records/journal-entry.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { ended, sale, Stage } from './stage.ts';

/** A list by time goes by the acceptance, which is the createTime in answers to a POS, not by the time in the id. */

const hourMs = 3_600_000;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** By `since` an hour before its createTime, and by `until` so: of the list of a POS, and of `poid journal`. */
async function listed({ createdAt }: TransactionRecord) {
  const { journal, terminal } = stage;
  const lists = new TransactionLists({ journal, acquirers: new Map(), terminal, turns: new ReadingTurns() });
  const before = new Date(createdAt.getTime() - hourMs);
  const found: string[][] = [];
  for (const range of [{ since: before }, { until: before }]) {
    const page = await lists.page({ order: 'newest', limit: 10, ...range });
    assert.ok(page !== 'busy');
    found.push(page.items.map(({ messageId }) => messageId));
    const entries: string[] = [];
    for await (const { messageId } of entriesOf(journal, { order: 'newest', limit: 10, ...range }, 10)) {
      entries.push(messageId);
    }
    assert.deepEqual(entries, found.at(-1));
  }
  return found;
}

test('a sale that did not wait', async () => {
  assert.deepEqual(await listed(ended(await stage.paid(sale('M-1')))), [['M-1'], []]);
});

for (const [what, stepMs] of [
  ['forward by years, after a start with a flat battery', 6 * 365 * 24 * hourMs],
  ['back by a day', -24 * hourMs],
] as const) {
  test(`a sale during which the clock was set ${what}`, async () => {
    const answer = stage.paid(sale('M-1'));
    stage.clock.jump(stepMs);
    assert.deepEqual(await listed(ended(await answer)), [['M-1'], []]);
  });
}

test('a sale that waited until other work was done, for hours', async () => {
  ended(await stage.paid(sale('M-1')));
  const work = Promise.withResolvers<undefined>();
  const done = stage.terminal.runUndisturbed(() => work.promise);
  const answer = stage.paid(sale('M-2'));
  await stage.clock.advance(2 * hourMs);
  work.resolve(undefined);
  await done;
  assert.deepEqual(await listed(ended(await answer)), [['M-2'], ['M-1']]);
});
