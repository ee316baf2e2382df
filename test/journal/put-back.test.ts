import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const conclusion = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;

let dir: string;
let file: string;
let copy: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-put-back-'));
  file = path.join(dir, 'journal.db');
  copy = path.join(dir, 'copy.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** One life of the journal that sells something, and what its last sale was given. */
function life(...ordinals: number[]) {
  const store = new JournalStore(file);
  const given = ordinals.map((ordinal) => {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    const trace = store.intend(numbered(ordinal), draft());
    store.append(numbered(ordinal), [conclusion]);
    return trace;
  });
  store.close();
  return given;
}

const older = /older copy/;

test('the journal that was here goes on as it was', () => {
  const [one] = life(1);
  const store = new JournalStore(file);
  assert.equal(store.putBack(), undefined);
  assert.equal(store.openBatch(EDC), one?.batch);
  assert.deepEqual(store.unreadBatches(EDC), []);
  store.close();
});

test('also after an end that was not an orderly one; without what is kept beside it, it is an older copy', () => {
  life(1);
  const store = new JournalStore(file);
  store.open(numbered(2), accepted('M-2'));
  const other = mkdtempSync(path.join(dir, 'cut-'));
  for (const name of ['journal.db', 'journal.db-wal', 'journal.state'])
    copyFileSync(path.join(dir, name), path.join(other, name));
  store.close();
  const cut = new JournalStore(path.join(other, 'journal.db'));
  assert.deepEqual([cut.putBack(), cut.find('POS-1', 'M-2')], [undefined, numbered(2)]);
  cut.close();
  // The marker is there before the first payment: without one the journal was put here, and nobody knows when it was made.
  rmSync(path.join(other, 'journal.state'));
  const alone = new JournalStore(path.join(other, 'journal.db'));
  assert.match(alone.putBack() ?? '', older);
  assert.equal(alone.life.checkReport.state, 'never');
  alone.close();
});

test('an older copy is told, once, and gives out no number and no batch that was given out since', () => {
  const [first] = life(1);
  copyFileSync(file, copy);
  const lost = life(2, 3);
  copyFileSync(copy, file);
  const store = new JournalStore(file);
  assert.match(store.putBack() ?? '', older);
  store.open(numbered(4), accepted('M-4'));
  const next = store.intend(numbered(4), draft());
  for (const each of [first, ...lost]) {
    assert.ok(each && next.stan !== each.stan && next.invoice !== each.invoice && next.batch !== each.batch);
  }
  // What it has of the batch that was open is a batch of its own.
  const batch = first?.batch ?? 0;
  assert.deepEqual([store.unreadBatches(EDC), store.settlingBatches(EDC)], [[batch], []]);
  assert.deepEqual(
    store.batchPage(EDC, batch, '', 10).map(({ id }) => id),
    [numbered(1)],
  );
  const closed = { acquirerId: EDC, batch, at: '2026-01-05T10:00:00.000Z', totals: [], currencies: [] };
  assert.equal(store.closeBatch({ ...closed, mark: store.batchMark(EDC, batch), mayStayUnknown: false }), 'closed');
  assert.deepEqual([store.unreadBatches(EDC), store.settlingBatches(EDC)[0]?.batch], [[], batch]);
  assert.equal(store.settlingBatches(EDC)[0]?.isCopy, true);
  assert.equal(store.openBatch(EDC), next.batch);
  store.close();
  const again = new JournalStore(file);
  assert.equal(again.putBack(), undefined);
  again.close();
});

test('a copy of the same life is told too, by what was written after it', () => {
  const store = new JournalStore(file);
  store.open(numbered(1), accepted('M-1'));
  store.close();
  copyFileSync(file, copy);
  const cut = new JournalStore(file);
  cut.open(numbered(2), accepted('M-2'));
  cut.life.keep();
  cut.close();
  copyFileSync(copy, file);
  const put = new JournalStore(file);
  assert.match(put.putBack() ?? '', older);
  put.close();
});

test('what was under way in the copy is taken back by nobody but the bank', () => {
  const store = new JournalStore(file);
  store.open(numbered(1), accepted('M-1'));
  store.intend(numbered(1), draft());
  store.open(numbered(2), accepted('M-2'));
  store.intend(numbered(2), draft());
  store.append(numbered(2), [conclusion, { kind: 'reversalQueued', reason: 'no-answer' }]);
  store.close();
  copyFileSync(file, copy);
  life(3);
  copyFileSync(copy, file);
  const put = new JournalStore(file);
  for (const ordinal of [1, 2]) {
    assert.ok(
      put.read(numbered(ordinal)).some(({ event }) => event.kind === 'numberTaken'),
      `${ordinal}`,
    );
  }
  put.close();
});

test('another journal in its place is told', async () => {
  life(1);
  const other = path.join(dir, 'other.db');
  new JournalStore(other).close();
  copyFileSync(other, file);
  const journal = await openJournal(file);
  assert.match(journal.putBack ?? '', /another journal/);
  await journal.close();
});

test('what the operator says of a payment in the copy stays in its own batch: it may be settled with it since', () => {
  const store = new JournalStore(file);
  store.open(numbered(1), accepted('M-1'));
  const { batch } = store.intend(numbered(1), draft());
  store.close();
  copyFileSync(file, copy);
  life(3);
  copyFileSync(copy, file);
  const put = new JournalStore(file);
  put.append(numbered(1), [conclusion, { kind: 'setAside', outcome: 'POSTED' }]);
  assert.deepEqual(
    put.batchPage(EDC, batch, '', 10).map(({ id }) => id),
    [numbered(1)],
  );
  assert.deepEqual(put.batchPage(EDC, put.openBatch(EDC), '', 10), []);
  put.close();
});
