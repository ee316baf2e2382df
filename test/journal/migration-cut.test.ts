import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { migrate } from '../../src/journal/migration.ts';
import { schemaVersion } from '../../src/journal/schema.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';
import { makeOlder, unlinked } from './older-journal.ts';

/** A power cut in the middle of a migration: SQLite's log ends after any of its frames, or within one. */

const EDC = acquirerId('EDC');
const sales = 40;
/** sqlite.org/fileformat2.html §4.1. */
const [logHeadBytes, frameHeadBytes] = [32, 24];

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-migration-'));
});
after(() => rmSync(dir, { recursive: true }));

/** A journal of a version before, with sales in two batches, one set aside and one unfinished. */
function writeOlder(file: string): void {
  const store = new JournalStore(file);
  const nothing = { count: 0, totalMinor: '0' };
  const currencies = [{ currency: 'HKD', sales: nothing, refunds: nothing }] as const;
  for (let ordinal = 1; ordinal <= sales; ordinal++) {
    const id = numbered(ordinal);
    store.open(id, accepted(`M-${ordinal}`));
    store.intend(id, draft());
    if (ordinal === sales) continue;
    store.append(id, [{ kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' }]);
    if (ordinal !== sales / 2) continue;
    const batch = store.openBatch(EDC);
    const closed = { acquirerId: EDC, batch, at: new Date().toISOString(), totals: [], currencies };
    assert.equal(store.closeBatch({ ...closed, mark: store.batchMark(EDC, batch), mayStayUnknown: true }), 'closed');
  }
  store.append(numbered(sales - 1), [{ kind: 'setAside', outcome: 'POSTED' }]);
  store.close();
  const database = new DatabaseSync(file);
  makeOlder(database, unlinked);
  database.exec('VACUUM');
  database.close();
}

/** What a terminal asks of its journal, told as text. */
function describe(file: string): string {
  const store = new JournalStore(file);
  try {
    const check = store.check();
    while (!check.slice());
    const open = store.openBatch(EDC);
    const ids = (batch: number) => store.batchPage(EDC, batch, '', 100).map(({ id }) => id);
    const all = store.listSlice({ order: 'oldest', limit: 100 }).found.map(({ id, place }) => [id, place]);
    return JSON.stringify([
      [open, ids(open), ids(open - 1)],
      store.listSlice({ order: 'newest', limit: 100, acquirerId: EDC, batch: open }).found.length,
      [store.unfinished(), store.setAside(EDC), check.checked],
      all,
      all.map(([id]) => store.read(id as ReturnType<typeof numbered>)),
    ]);
  } finally {
    store.close();
  }
}

const versionOf = (file: string) => {
  const database = new DatabaseSync(file);
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
};

/** A directory of its own with this journal, its log and its marker. */
function copyState(name: string, content: Uint8Array, log: Uint8Array, marker: Uint8Array): string {
  const own = path.join(dir, name);
  mkdirSync(own);
  const file = path.join(own, 'journal.db');
  writeFileSync(file, content);
  if (log.length > 0) writeFileSync(`${file}-wal`, log);
  writeFileSync(path.join(own, 'journal.state'), marker);
  return file;
}

test('each migration is there as a whole or not at all, wherever its power was cut', () => {
  const file = path.join(dir, 'journal.db');
  writeOlder(file);
  const marker = readFileSync(path.join(dir, 'journal.state'));
  const whole = copyState('whole', readFileSync(file), Buffer.alloc(0), marker);
  const before = versionOf(whole);
  assert.equal(before, schemaVersion - unlinked);
  const reported = describe(whole);
  assert.equal(versionOf(whole), schemaVersion);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  migrate(database);
  const [content, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  database.close();
  const frameBytes = frameHeadBytes + 4_096;
  const frames = (log.length - logHeadBytes) / frameBytes;
  assert.ok(Number.isInteger(frames) && frames > 3, `${frames} frames`);
  const versions = new Set<number>();
  // Each end of a frame, and the middle of the next.
  for (let half = 0; half <= 2 * frames; half++) {
    const end = logHeadBytes + Math.floor((half * frameBytes) / 2);
    const state = copyState(`cut-${half}`, content, log.subarray(0, end), marker);
    versions.add(versionOf(state));
    assert.ok(describe(state) === reported, `cut after ${half / 2} of ${frames} frames`);
  }
  assert.deepEqual(
    [...versions],
    [before, before + 1, before + 2, before + 3, before + 4, before + 5, before + 6, before + 7, schemaVersion],
  );
});

test('the place of a transaction is that of its first event', () => {
  const file = path.join(dir, 'places.db');
  const store = new JournalStore(file);
  for (const ordinal of [1, 2, 3]) store.open(numbered(ordinal), accepted(`M-${ordinal}`), [{ kind: 'receiptQueued' }]);
  store.append(numbered(1), [{ kind: 'receiptPrinted' }]);
  store.open(numbered(4), accepted('M-4'));
  store.close();
  const database = new DatabaseSync(file);
  const sql = 'SELECT txn.opened, (SELECT min(seq) FROM event WHERE txn_id = txn.id) AS first FROM txn ORDER BY id';
  const places = database.prepare(sql).all();
  database.close();
  assert.deepEqual(
    places.map(({ opened, first }) => [opened, first]),
    [1, 3, 5, 8].map((each) => [each, each]),
  );
});
