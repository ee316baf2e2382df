import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from './tested-store.ts';
import type { Change } from '../../src/payment/contracts/changes.ts';
import { accepted, draft, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const ended = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;

let dir: string;
let file: string;
let now = new Date('2026-01-01T00:00:00Z');
let store: JournalStore;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-changes-'));
  file = path.join(dir, 'journal.db');
  now = new Date('2026-01-01T00:00:00Z');
  store = new JournalStore(file, () => now);
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function sell(ordinal: number): void {
  store.open(numbered(ordinal), accepted(`M-${ordinal}`));
  store.intend(numbered(ordinal), draft());
  store.append(numbered(ordinal), [ended]);
}

function settle(ordinal: number): void {
  const at = now.toISOString();
  store.openSettlement({ id: numbered(ordinal), posId: 'POS-1', messageId: `S-${ordinal}`, digest: 'd', at });
  store.endSettlement(numbered(ordinal), [], false);
}

/** Closes the open batch. */
function closeBatch(): number {
  const batch = store.openBatch(EDC);
  const mark = store.batchMark(EDC, batch);
  const closed = { acquirerId: EDC, batch, at: now.toISOString(), totals: [], currencies: [], mark };
  assert.equal(store.closeBatch({ ...closed, mayStayUnknown: false }), 'closed');
  return batch;
}

/** Everything from a place on, slice by slice. */
function changesFrom(place: number): Change[] {
  const all: Change[] = [];
  for (let after = place; ; ) {
    const { changes, until, hasMore } = store.changes(after);
    all.push(...changes);
    if (!hasMore) return all;
    assert.ok(until > after, 'a slice goes on');
    after = until;
  }
}

const idsFrom = (place: number) => changesFrom(place).map(({ id }) => Number(id));

test('a transaction is told at its last event, once it has ended', () => {
  store.open(numbered(1), accepted('M-1'));
  sell(2);
  assert.deepEqual(idsFrom(0), [2]);
  store.append(numbered(1), [ended]);
  const all = changesFrom(0);
  assert.deepEqual(
    all.map(({ id, seq }) => [Number(id), seq]),
    [
      [2, 4],
      [1, 5],
    ],
  );
  store.append(numbered(2), [{ kind: 'receiptQueued' }]);
  assert.deepEqual([idsFrom(5), idsFrom(0)], [[2], [1, 2]]);
  assert.equal(all[0]?.at, now.toISOString());
});

test('settlements stand among the transactions in the order of their end', () => {
  sell(1);
  settle(2);
  sell(3);
  settle(4);
  settle(5);
  assert.deepEqual(idsFrom(0), [1, 2, 3, 4, 5]);
  const places = changesFrom(0).map(({ seq }) => seq);
  assert.equal(new Set(places).size, places.length);
});

test('what moves to the open batch is told again, with that batch', () => {
  sell(1);
  sell(2);
  const batch = closeBatch();
  const before = changesFrom(0).at(-1)?.seq ?? 0;
  sell(3);
  store.reopenBatch(EDC, batch);
  const open = store.openBatch(EDC);
  assert.deepEqual(
    changesFrom(before).map(({ id, batch: counted }) => [Number(id), counted]),
    [
      [3, open],
      [1, open],
      [2, open],
    ],
  );
});

test('the archive takes nothing from whoever has not read it yet, and moves nothing that is behind', () => {
  for (let ordinal = 1; ordinal <= 4; ordinal++) sell(ordinal);
  closeBatch();
  store.endSettlement(numbered(9), [{ ...settledBatch(), batch: store.openBatch(EDC) - 1 }], false);
  const whole = changesFrom(0).filter(({ kind }) => kind === 'transaction');
  now = new Date('2026-06-01T00:00:00Z');
  sell(5);
  store.archive(new Date('2026-05-01T00:00:00Z'), 0, 100);
  const after = changesFrom(0).filter(({ kind }) => kind === 'transaction');
  assert.deepEqual(
    after.slice(0, 4).map(({ id, seq }) => [id, seq]),
    whole.map(({ id, seq }) => [id, seq]),
  );
  assert.equal(after.length, 5);
  const second = whole[1]?.seq ?? 0;
  assert.deepEqual(
    changesFrom(second)
      .filter(({ kind }) => kind === 'transaction')
      .map(({ id }) => Number(id)),
    [3, 4, 5],
  );
  // The events of two of them are in the archive's file alone.
  assert.equal(store.read(numbered(3)).length, 3);
});

test('a slice is bounded, and nothing is lost between two', () => {
  for (let ordinal = 1; ordinal <= 300; ordinal++) sell(ordinal);
  const { changes, hasMore, until } = store.changes(0);
  assert.ok(hasMore && changes.length < 300 && until <= 250);
  assert.deepEqual(
    idsFrom(0),
    Array.from({ length: 300 }, (_, index) => index + 1),
  );
});

test('a copy that is put back has another name for its places, and keeps it', () => {
  sell(1);
  const first = store.life.stream;
  store.close();
  copyFileSync(file, `${file}.copy`);
  store = new JournalStore(file, () => now);
  assert.equal(store.life.stream, first);
  sell(2);
  store.close();
  copyFileSync(`${file}.copy`, file);
  now = new Date('2026-01-02T00:00:00Z');
  store = new JournalStore(file, () => now);
  const second = store.life.stream;
  assert.notEqual(second, first);
  store.close();
  now = new Date('2026-01-03T00:00:00Z');
  store = new JournalStore(file, () => now);
  assert.equal(store.life.stream, second);
});

function settledBatch() {
  return { acquirerId: EDC, mid: 'M', tid: 'T', batch: 0, result: 'BALANCED', totals: [] } as const;
}
