import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';
import { makeOlder, unlinked } from './older-journal.ts';
import { seedJournal } from './seeded-journal.ts';

/** A journal of thousands of sales whose events are in the table of the schema before, used on by this one. */

const EDC = acquirerId('EDC');
const [settled, open] = [2_500, 700];
const ended: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

interface Row {
  readonly seq: number;
  readonly txn_id: TerminalTransactionId;
  readonly at: string;
  readonly body: string;
}

let dir: string;
let file: string;
let store: JournalStore;
/** As they were before the migration, read by SQL alone. */
let events: readonly Row[];
let transactions: readonly object[];
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-older-events-'));
  file = path.join(dir, 'journal.db');
  seedJournal(file, { settled, salesPerBatch: 500, open });
  const recent = new JournalStore(file);
  // Two that wait, their events among each other's; one is cut off.
  for (const ordinal of [1, 2, 3]) recent.open(numbered(ordinal), accepted(`M-${ordinal}`));
  for (const ordinal of [1, 2]) recent.intend(numbered(ordinal), draft());
  for (const ordinal of [2, 1]) recent.append(numbered(ordinal), [{ kind: 'reversalQueued', reason: 'no-answer' }]);
  recent.append(numbered(1), [ended, { kind: 'receiptQueued' }]);
  recent.close();
  const older = new DatabaseSync(file);
  makeOlder(older, unlinked);
  events = rows(older, 'event');
  transactions = older.prepare('SELECT * FROM txn ORDER BY id').all();
  older.close();
  store = new JournalStore(file);
});
after(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function rows(database: DatabaseSync, table: string): Row[] {
  return database.prepare(`SELECT seq, txn_id, at, body FROM ${table} ORDER BY seq`).all() as unknown as Row[];
}

/** What another reader of the file finds. */
function look<T>(work: (database: DatabaseSync) => T): T {
  store.close();
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
    store = new JournalStore(file);
  }
}

/** `isArchived`: what is settled is in the archive, which has no card numbers. */
function assertReadAsBefore(isArchived = false): void {
  const byTransaction = Map.groupBy(events, ({ txn_id: id }) => id);
  assert.equal(byTransaction.size, settled + open + 3);
  for (const [id, own] of byTransaction) {
    const expected = own.map(({ at, body }) => {
      const { format: _format, ...event } = JSON.parse(body) as Record<string, unknown>;
      return { at, event };
    });
    const found = store.read(id).slice(0, own.length);
    const isBare = found.some(({ event }) => 'encryptedPan' in event && event.encryptedPan === '');
    const bare = ({ at, event }: (typeof expected)[number]) => ({
      at,
      event: 'encryptedPan' in event ? { ...event, ksn: '', encryptedPan: '' } : event,
    });
    assert.ok(isArchived || !isBare, id);
    assert.deepEqual(found, isBare ? expected.map(bare) : expected, id);
  }
}

function assertWhole(): void {
  const check = store.check();
  while (!check.slice());
  assert.equal(check.unreadable, 0);
}

test('every record reads as it did, every row is as it was, and every event is in its place', () => {
  assertReadAsBefore();
  const [found, kept] = look((database) => [
    rows(database, 'every_event'),
    database.prepare('SELECT * FROM txn ORDER BY id').all(),
  ]);
  assert.deepEqual(found, events);
  assert.deepEqual(
    kept.map(({ last, ...row }) => ({ ...row, isLinked: last !== null })),
    transactions.map((row) => ({ ...row, isLinked: false })),
  );
  assertWhole();
});

test('what is written now follows what was written then, in one order of all events', () => {
  const last = events.at(-1)?.seq ?? 0;
  // The settlements of then have got their numbers behind those.
  const given = store.life.last();
  store.append(numbered(2), [{ kind: 'reversalSent', attempt: 1 }]);
  store.open(numbered(4), accepted('M-4'));
  store.append(numbered(2), [{ kind: 'reversalAcknowledged', responseCode: '00' }, ended]);
  store.intend(numbered(4), draft());
  const kinds = (ordinal: number) => store.read(numbered(ordinal)).map(({ event }) => event.kind);
  const before = ['accepted', 'intent', 'reversalQueued'];
  assert.deepEqual(kinds(2), [...before, 'reversalSent', 'reversalAcknowledged', 'ended']);
  assert.deepEqual(kinds(4), ['accepted', 'intent']);
  assert.deepEqual(kinds(1), [...before, 'ended', 'receiptQueued']);
  assert.deepEqual(
    store.pending().map(({ id }) => id),
    [numbered(1)],
  );
  const places = store.listSlice({ order: 'newest', limit: 2 }).found.map(({ id, place }) => [id, place]);
  assert.deepEqual(places[0], [numbered(4), given + 2]);
  const since = look((database) => {
    const sql = 'SELECT seq, txn_id FROM every_event WHERE seq > ? ORDER BY seq LIMIT 8';
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(0);
    assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE|SCAN/, 'it is read in its order, and from there on alone');
    return database.prepare(sql).all(last - 2);
  });
  assert.deepEqual(
    since.map(({ seq, txn_id: id }) => [seq, id]),
    [1, 1, 2, 4, 2, 2, 4].map((ordinal, index) => [
      index < 2 ? last - 1 + index : given - 1 + index,
      numbered(ordinal),
    ]),
  );
  assertWhole();
});

test('they go to the archive as all do, and read as before from there', () => {
  const marked = store.batchMark(EDC, store.openBatch(EDC));
  for (let from: number | undefined = 0; from !== undefined; ) ({ next: from } = store.archive(new Date(), from, 500));
  assert.equal(store.batchMark(EDC, store.openBatch(EDC)), marked);
  const [left, archived] = look((database) => [
    rows(database, 'older_event'),
    database.prepare('SELECT count(*) AS n FROM txn WHERE archive IS NOT NULL AND last IS NULL').get()?.['n'],
  ]);
  assert.equal(archived, settled);
  assert.equal(left.length, events.length - settled * 4);
  assertReadAsBefore(true);
  assertWhole();
});
