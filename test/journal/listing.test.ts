import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId, terminalTransactionId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { schemaVersion } from '../../src/journal/schema.ts';
import { JournalStore, testedSchema } from './tested-store.ts';
import type { ListQuery, ListSlice } from '../../src/payment/contracts/listing.ts';
import { accepted, draft, fromOne, numbered } from './events.ts';
import { filledJournal } from './large.ts';
import { makeOlder, unlinked } from './older-journal.ts';

const EDC = acquirerId('EDC');
const CUP = acquirerId('CUP');
const ended: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };
const newest = { order: 'newest', limit: 10 } as const;
/** A day in the middle of a year, far from any archive's limit. */
const noon = Date.UTC(2026, 5, 1, 12);

let dir: string;
let file: string;
let time = noon;
let store: JournalStore;
let sales = 0;

const opened = () => new JournalStore(file, () => new Date(time), fromOne);
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-listing-'));
  file = path.join(dir, 'journal.db');
  time = noon;
  sales = 0;
  store = opened();
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

/** A sale of now. */
function sell({ posId = 'POS-1', acquirer = 'EDC' } = {}): TerminalTransactionId {
  sales += 1;
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(0, sales);
  const id = terminalTransactionId(new Date(time), random);
  store.open(id, { ...accepted(`L-${sales}`), posId });
  store.intend(id, draft(acquirer));
  store.append(id, [ended]);
  return id;
}

/** All slices from there on; `between` is called after each. */
function walk(query: ListQuery, from?: number, between: () => unknown = () => undefined): TerminalTransactionId[] {
  const ids: TerminalTransactionId[] = [];
  for (let slice: ListSlice = store.listSlice(query, from); ; slice = store.listSlice(query, slice.next)) {
    ids.push(...slice.found.map(({ id }) => id));
    assert.ok(slice.found.length <= query.limit);
    if (slice.next === undefined) return ids;
    between();
  }
}

test('nothing twice and nothing missed, in pages of any size, while new ones arrive', () => {
  store.close();
  // More than one slice reads.
  const before = 1_300;
  filledJournal(path.join(dir, 'large.db'), before);
  file = path.join(dir, 'large.db');
  store = opened();
  const all = Array.from({ length: before }, (_, at) => numbered(before - at));
  for (const limit of [7, 250, 5_000]) {
    const arrived: TerminalTransactionId[] = [];
    assert.deepEqual(
      walk({ order: 'newest', limit }, undefined, () => arrived.unshift(sell())),
      all,
    );
    assert.ok(arrived.length > 0);
    all.unshift(...arrived);
  }
});

test('from the oldest on, what arrives meanwhile comes at the end', () => {
  const first = [sell(), sell(), sell()];
  const added: TerminalTransactionId[] = [];
  const ids = walk({ order: 'oldest', limit: 2 }, undefined, () => {
    if (added.length === 0) added.push(sell());
  });
  assert.deepEqual(ids, [...first, ...added]);
});

test('the order is that of acceptance, whatever the clock says, and the last one is the one accepted last', () => {
  const first = sell();
  time = noon - 86_400_000;
  const second = sell();
  assert.ok(second < first, 'its id is earlier');
  assert.deepEqual(walk(newest), [second, first]);
  assert.deepEqual(
    store.listSlice({ ...newest, limit: 1 }).found.map(({ id }) => id),
    [second],
  );
});

test('by time: the moments are those of the acceptances, and a clock that was set back hides none', () => {
  const first = sell();
  time = noon - 3_600_000;
  const second = sell();
  time = noon + 1;
  const third = sell();
  const since = new Date(noon);
  assert.deepEqual(walk({ ...newest, since }), [third, first]);
  assert.deepEqual(walk({ ...newest, until: since }), [second]);
  assert.deepEqual(walk({ ...newest, since, until: new Date(noon + 1) }), [first]);
});

test('by batch, acquirer and POS', () => {
  const [one, other] = [sell(), sell({ posId: 'POS-2' })];
  const cup = sell({ acquirer: 'CUP' });
  const closed = { acquirerId: EDC, batch: store.openBatch(EDC), at: '', totals: [], currencies: [] };
  const mark = store.batchMark(EDC, closed.batch);
  assert.equal(store.closeBatch({ ...closed, mark, mayStayUnknown: false }), 'closed');
  const next = sell();
  assert.deepEqual(walk({ ...newest, acquirerId: EDC }), [next, other, one]);
  assert.deepEqual(walk({ ...newest, acquirerId: EDC, batch: closed.batch }), [other, one]);
  assert.deepEqual(walk({ order: 'oldest', limit: 1, acquirerId: EDC, batch: closed.batch }), [one, other]);
  assert.deepEqual(walk({ ...newest, acquirerId: CUP, batch: store.openBatch(CUP) }), [cup]);
  assert.deepEqual(walk({ ...newest, acquirerId: EDC, posId: 'POS-2' }), [other]);
  assert.deepEqual(store.listSlice({ ...newest, posId: 'POS-2' }).found, [
    {
      id: other,
      posId: 'POS-2',
      messageId: 'L-2',
      batch: closed.batch,
      place: store.listSlice(newest).found[2]?.place,
    },
  ]);
});

test('what is in the archive is in the list', () => {
  const id = sell();
  const closed = { acquirerId: EDC, batch: store.openBatch(EDC), at: '', totals: [], currencies: [] };
  store.closeBatch({ ...closed, mark: store.batchMark(EDC, closed.batch), mayStayUnknown: false });
  const reported = { acquirerId: EDC, mid: '', tid: '', batch: closed.batch, totals: [] };
  const settlement = { id: numbered(1), posId: 'POS-1', messageId: 'S-1', digest: '', at: '' };
  store.openSettlement(settlement);
  store.endSettlement(settlement.id, [{ ...reported, result: 'BALANCED' }], false);
  time += 400 * 86_400_000;
  store.archive(new Date(time), 0, 10);
  assert.deepEqual(walk(newest), [id]);
  assert.equal(store.read(id).length, 3);
});

test('in the archive: by the month of the acceptance where the id is of another one, otherwise by the id', () => {
  /** A sale whose id was made before the clock was set. */
  const sellAt = (madeAt: number, acceptedAt: number): TerminalTransactionId => {
    sales += 1;
    const id = terminalTransactionId(new Date(madeAt), new Uint8Array(10).fill(sales));
    time = acceptedAt;
    store.open(id, accepted(`L-${sales}`));
    store.append(id, [ended]);
    return id;
  };
  const late = sellAt(noon - 6 * 365 * 86_400_000, noon);
  const punctual = sellAt(noon, noon + 1);
  const since = (at: number) => walk({ ...newest, since: new Date(at) });
  const until = (at: number) => walk({ ...newest, until: new Date(at) });
  assert.deepEqual([since(noon), until(noon)], [[punctual, late], []]);
  assert.deepEqual([since(noon + 1), until(noon + 1)], [[punctual], [late]]);
  time += 400 * 86_400_000;
  assert.equal(store.archive(new Date(time), 0, 10).old, 2);
  const day = 86_400_000;
  assert.deepEqual(
    [since(noon - day), until(noon + 1)],
    [
      [punctual, late],
      [punctual, late],
    ],
  );
  assert.deepEqual([since(noon + 2 * day), until(noon - 2 * day)], [[late], []], 'the month is known, not the day');
  assert.deepEqual([since(noon + 31 * day), until(noon - 31 * day)], [[], []]);
});

test('a slice reads so much and no more, however few belong to the list', () => {
  store.close();
  file = path.join(dir, 'large.db');
  filledJournal(file, 2_500);
  store = opened();
  const slices: ListSlice[] = [];
  for (let from: number | undefined; slices.length === 0 || from !== undefined; from = slices.at(-1)?.next) {
    slices.push(store.listSlice({ ...newest, posId: 'POS-9' }, from));
  }
  assert.deepEqual(new Set(slices.map(({ found }) => found.length)), new Set([0]));
  assert.equal(slices.length, 2_500 / 250 + 1);
});

test('what belongs to the list is found behind any number of others', () => {
  store.close();
  file = path.join(dir, 'large.db');
  filledJournal(file, 1_300);
  store = opened();
  const id = sell();
  assert.deepEqual(walk({ order: 'oldest', limit: 10, since: new Date(noon) }), [id]);
});

const isMigrated = testedSchema === schemaVersion;
test('settlements: the one requested last, though the clock was set back, and in a journal of an older version', {
  skip: !isMigrated,
}, () => {
  const settle = (ordinal: number) => {
    const id = numbered(ordinal);
    store.openSettlement({ id, posId: 'POS-1', messageId: `S-${ordinal}`, digest: '', at: '2026-06-01T00:00:00.000Z' });
    return id;
  };
  const [second, first] = [settle(5), settle(3)];
  const ids = () => store.latestSettlements(2).map(({ id }) => id);
  assert.deepEqual(ids(), [first, second]);
  store.close();
  const database = new DatabaseSync(file);
  // As the version before left it: it knew the ids alone.
  makeOlder(database, unlinked + 1);
  database.close();
  store = opened();
  assert.deepEqual(ids(), [second, first]);
  assert.deepEqual(store.latestSettlements(1)[0]?.id, second);
  const third = settle(4);
  assert.deepEqual(ids(), [third, second]);
});
