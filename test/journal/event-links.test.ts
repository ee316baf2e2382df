import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import { accepted, draft, numbered } from './events.ts';
import { makeOlder, unlinked } from './older-journal.ts';
import { seedJournal } from './seeded-journal.ts';

/** Events are found from the row of their transaction, each by the one after it, and numbered in the order of writing. */

const EDC = acquirerId('EDC');
const ended: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-links-'));
});
after(() => rmSync(dir, { recursive: true }));

function sql(file: string, text: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

test('transactions whose events are among each other’s have their own, in the order of writing', () => {
  const file = path.join(dir, 'among.db');
  const store = new JournalStore(file);
  const all = [1, 2, 3].map(numbered);
  const [one, two, three] = all;
  assert.ok(one && two && three);
  store.open(one, accepted('M-1'));
  store.open(two, accepted('M-2'), [{ kind: 'receiptQueued' }]);
  store.intend(one, draft());
  store.open(three, accepted('M-3'));
  store.append(two, [ended]);
  const read = store.append(one, [{ kind: 'reversalQueued', reason: 'no-answer' }, ended]);
  const kinds = all.map((id) => store.read(id).map(({ event }) => event.kind));
  assert.deepEqual(kinds, [
    ['accepted', 'intent', 'reversalQueued', 'ended'],
    ['accepted', 'receiptQueued', 'ended'],
    ['accepted'],
  ]);
  assert.deepEqual(read, store.read(one), 'an append reads its own transaction back');
  assert.deepEqual(store.read(numbered(9)), []);
  store.close();
  const order = sql(file, 'SELECT seq, txn_id AS id FROM every_event ORDER BY seq');
  assert.deepEqual(
    order.map(({ seq, id }) => [seq, id]),
    [one, two, two, one, three, two, one, one].map((id, index) => [index + 1, id]),
  );
});

for (const [what, isOlder] of [
  ['', false],
  [', nor those of a journal of the schema before', true],
] as const) {
  test(`numbers of events that were archived are not given again${what}`, () => {
    const file = path.join(dir, `${isOlder ? 'older' : 'archived'}.db`);
    seedJournal(file, { settled: 20, salesPerBatch: 10, open: 0 });
    let store = new JournalStore(file);
    // What was cancelled is in no batch, and has the last events.
    store.open(numbered(2), accepted('M-2'));
    store.append(numbered(2), [{ kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: '' }]);
    const last = store.life.last();
    // Four events of each sale, and a number of each settlement: it is a change too.
    assert.equal(last, 4 * 20 + 2 + 2);
    for (let from: number | undefined = 0; from !== undefined; ) {
      ({ next: from } = store.archive(new Date(Date.now() + 60_000), from, 10));
    }
    assert.equal(store.writtenAt(), undefined, 'none is left');
    store.close();
    if (isOlder) {
      const database = new DatabaseSync(file);
      makeOlder(database, unlinked);
      database.close();
    }
    store = new JournalStore(file);
    // The migration numbers the two settlements.
    const now = isOlder ? last + 2 : last;
    assert.deepEqual([store.life.succession, store.life.last()], ['same', now]);
    store.open(numbered(1), accepted('M-1'));
    const [newest] = store.listSlice({ order: 'newest', limit: 1 }).found;
    assert.deepEqual([newest?.id, newest?.place], [numbered(1), now + 1]);
    store.close();
  });
}

test('a batch has its sales from their intents on, and those that none has are in no index of batches', () => {
  const file = path.join(dir, 'batch.db');
  const store = new JournalStore(file);
  for (const ordinal of [1, 2, 3]) store.open(numbered(ordinal), accepted(`M-${ordinal}`));
  const ids = () => store.batchPage(EDC, store.openBatch(EDC), '', 10).map(({ id }) => id);
  for (const ordinal of [3, 1]) store.intend(numbered(ordinal), draft());
  assert.deepEqual(ids(), [numbered(1), numbered(3)]);
  store.append(numbered(3), [{ kind: 'withdrawn' }]);
  assert.deepEqual(ids(), [numbered(1)]);
  store.close();
  const indexed = sql(file, 'SELECT id FROM txn INDEXED BY txn_batch WHERE acquirer_id IS NOT NULL');
  assert.deepEqual(
    indexed.map(({ id }) => id),
    [numbered(1)],
  );
});

/** Each leaves an event that is in the journal and in no record. */
for (const [what, damage] of [
  ['a row that leads to an earlier event', 'UPDATE txn SET last = 2 WHERE last = 4'],
  ['a row that leads to the event of another', 'UPDATE txn SET last = 5 WHERE last = 4'],
  ['a row that leads to none', 'UPDATE txn SET last = NULL WHERE last = 4'],
  ['an event that skips one', 'UPDATE event SET previous = 1 WHERE seq = 4'],
  ['an event that begins where none may', 'UPDATE event SET previous = NULL WHERE seq = 4'],
  ['events that lead to each other', 'UPDATE event SET previous = 4 WHERE seq = 2'],
  ['an event that is gone', 'DELETE FROM event WHERE seq = 2'],
  ['a place in the order of opening that is not its first event’s', 'UPDATE txn SET opened = 9 WHERE opened = 1'],
] as const) {
  test(`damage is found when the journal is read through: ${what}`, () => {
    const whole = path.join(dir, 'whole.db');
    const store = new JournalStore(whole);
    if (store.life.last() === 0) {
      store.open(numbered(1), accepted('M-1'));
      store.intend(numbered(1), draft());
      store.open(numbered(2), accepted('M-2'));
      store.append(numbered(1), [ended]);
      store.append(numbered(2), [ended]);
    }
    store.close();
    const file = path.join(dir, 'damaged.db');
    copyFileSync(whole, file);
    const readThrough = () => {
      const opened = new JournalStore(file);
      try {
        const check = opened.check();
        while (!check.slice());
      } finally {
        opened.close();
      }
    };
    readThrough();
    sql(file, damage);
    assert.throws(readThrough, (error) => error instanceof JournalError && error.code === 'corrupt');
    rmSync(file);
    rmSync(file.replace('.db', '.state'));
  });
}
