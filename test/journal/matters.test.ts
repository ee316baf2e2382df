import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';
import { makeOlder } from './older-journal.ts';

/** The list of what may have to be settled with customers, and what the archive leaves because of it. */

const EDC = acquirerId('EDC');
const failed = { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: '' } as const;
const queued = { kind: 'reversalQueued', reason: 'no-answer' } as const;
const posted = { kind: 'setAside', outcome: 'POSTED' } as const;
const reversed = { kind: 'reversalAcknowledged', responseCode: '00' } as const;
const settledWith = { kind: 'settledWithCustomer', matter: 'reversedLate', who: 'OPERATOR', session: 'one' } as const;

let dir: string;
let store: JournalStore;
const file = () => path.join(dir, 'journal.db');
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-matters-'));
  store = new JournalStore(file());
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function sold(ordinal: number, ...events: readonly JournalEvent[]) {
  const id = numbered(ordinal);
  store.open(id, accepted(`M-${ordinal}`));
  store.intend(id, draft());
  store.append(id, [failed, ...events]);
  return id;
}

function close(): number {
  const batch = store.openBatch(EDC);
  const at = new Date().toISOString();
  const closed = { acquirerId: EDC, batch, at, totals: [], currencies: [], mark: store.batchMark(EDC, batch) };
  assert.equal(store.closeBatch({ ...closed, mayStayUnknown: false }), 'closed');
  return batch;
}

function settle(): void {
  const batch = close();
  const settled = { acquirerId: EDC, mid: '', tid: '', batch, result: 'BALANCED', totals: [] } as const;
  store.endSettlement(numbered(90), [settled], false);
}

const archived = () => {
  store.archive(new Date(Date.now() + 60_000), 0, 10);
};
const archives = () => readdirSync(dir).filter((name) => name.startsWith('archive'));
const reversalOf = (id: ReturnType<typeof numbered>) =>
  store.read(id).find(({ event }) => event.kind === reversed.kind)?.event;

test('an ordinary reversal is not listed', () => {
  sold(1, queued, reversed);
  assert.deepEqual(store.matters(), []);
});

test('what the bank confirmed and its host reverses is listed, and not archived, until the operator has settled it', () => {
  const id = sold(1, queued, posted, reversed);
  settle();
  archived();
  assert.deepEqual([store.matters(), archives()], [[id], []]);
  store.append(id, [settledWith]);
  assert.deepEqual(store.matters(), []);
  archived();
  assert.equal(archives().length, 1);
});

test('a reversal after the settlement says so; one before it, or of a batch that is only closed, does not', () => {
  const before = sold(1, queued, posted, reversed);
  const after = sold(2, queued, posted);
  settle();
  store.append(after, [reversed]);
  const closed = sold(3, queued, posted);
  close();
  store.append(closed, [reversed]);
  assert.deepEqual([before, after, closed].map(reversalOf), [
    reversed,
    { ...reversed, afterSettlement: true },
    reversed,
  ]);
});

test('one whose row is listed is found after the migration of an older journal', () => {
  const id = sold(1, queued, posted, reversed);
  store.close();
  const database = new DatabaseSync(file());
  makeOlder(database, 4);
  database.close();
  store = new JournalStore(file());
  assert.deepEqual(store.matters(), [id]);
});
