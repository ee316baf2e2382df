import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { journalError } from '../../src/journal/failure.ts';
import { IntegrityScan } from '../../src/journal/integrity-scan.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalStore } from './tested-store.ts';
import { JournalError, type JournalCheckReport } from '../../src/payment/contracts/journal.ts';
import { accepted, draft, numbered } from './events.ts';
import { filledJournal } from './large.ts';

const sales = 1_500;
/** More than one slice has. */
const attempts = 700;
const everyPage = 100;
const pageBytes = 4096;
/** None is small: what is damaged has to be found while it is used. */
const large = { smallBytes: 0, idleMs: 0 };

let parent: string;
let whole: string;
let dir: string;
let file: string;
before(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'poid-check-'));
  whole = path.join(parent, 'journal.db');
  filledJournal(whole, sales);
});
after(() => rmSync(parent, { recursive: true }));
beforeEach(() => {
  dir = mkdtempSync(path.join(parent, 'state-'));
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

const isCorrupt = (error: unknown) => error instanceof JournalError && error.code === 'corrupt';

/** The files as a power cut leaves them while the journal is open. */
function cut(from = whole): void {
  const store = new JournalStore(from);
  for (const suffix of ['.db', '.db-wal', '.state'])
    copyFileSync(from.replace('.db', suffix), file.replace('.db', suffix));
  store.close();
}

function spoil(page: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, page * pageBytes);
  closeSync(handle);
}

const pages = () => statSync(file).size / pageBytes;
const marks = () => JSON.parse(readFileSync(file.replace('.db', '.state'), 'utf8')) as Record<string, unknown>;

/** What the journal's check came to; and its end, where that was the end of it. */
async function checked(): Promise<{ report: JournalCheckReport; broken: JournalError | undefined }> {
  const through = Promise.withResolvers<JournalCheckReport>();
  const journal = await openJournal(file, { ...large, onChecked: through.resolve });
  const report = await through.promise;
  assert.deepEqual(journal.check, report);
  const broken = report.reason?.startsWith('the journal') ? await journal.broken : undefined;
  await journal.close();
  return { report, broken };
}

test('a start reads through what takes no time, and of a larger journal nothing', (t) => {
  const few = path.join(dir, 'few.db');
  filledJournal(few, everyPage);
  cut();
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  const checks = [few, file].map((each) => {
    new JournalStore(each).close();
    const made = prepare.mock.calls.map(({ arguments: [sql] }) => sql);
    prepare.mock.resetCalls();
    return made.filter((sql) => sql.startsWith('PRAGMA quick_check')).length;
  });
  assert.deepEqual(checks, [1, 0]);
});

describe('after an end that was not an orderly one', () => {
  test('a journal is read through while idle, and once is enough', async () => {
    cut();
    const { report } = await checked();
    assert.equal(report.state, 'ok');
    assert.equal(report.checked, sales * 5);
    assert.equal(marks()['checkedAt'], report.at);
  });

  test('a damaged page in its middle ends its use, and no start relies on it before it is well', async () => {
    cut();
    const good = readFileSync(file).subarray(
      Math.floor(pages() / 2) * pageBytes,
      (Math.floor(pages() / 2) + 1) * pageBytes,
    );
    spoil(Math.floor(pages() / 2));
    const { report, broken } = await checked();
    assert.equal(report.state, 'damaged');
    assert.equal(broken?.code, 'corrupt');
    // Its thread may hold it still.
    mkdirSync(path.join(dir, 'next'));
    for (const name of ['journal.db', 'journal.state'])
      copyFileSync(path.join(dir, name), path.join(dir, 'next', name));
    file = path.join(dir, 'next', 'journal.db');
    assert.throws(() => new JournalStore(file, undefined, undefined, { smallBytes: 0 }), isCorrupt);
    const handle = openSync(file, 'r+');
    writeSync(handle, good, 0, pageBytes, Math.floor(pages() / 2) * pageBytes);
    closeSync(handle);
    const mended = new JournalStore(file, undefined, undefined, { smallBytes: 0 });
    assert.equal(mended.life.checkReport.state, 'ok');
    mended.close();
  });

  test('every page that something is on is read', (t) => {
    const few = path.join(dir, 'few.db');
    filledJournal(few, everyPage);
    copyFileSync(few, file);
    let found = 0;
    const missed: number[] = [];
    const all = pages();
    for (let page = 1; page < all; page++) {
      copyFileSync(few, file);
      spoil(page);
      let isFound = false;
      try {
        const store = new JournalStore(file, undefined, undefined, { smallBytes: 0 });
        const check = store.check();
        try {
          while (!check.slice());
          isFound = check.unreadable > 0;
        } finally {
          store.close();
        }
      } catch (error) {
        assert.equal(journalError(error).code, 'corrupt', `page ${page}`);
        isFound = true;
      }
      if (isFound) found += 1;
      else missed.push(page);
    }
    t.diagnostic(`${found} of ${all - 1}`);
    assert.ok(found > (all - 1) * 0.97, `${found} of ${all - 1} damaged pages were found, not ${missed.join()}`);
  });

  test('an index that lost an entry is damage: what waits would be forgotten', () => {
    const store = new JournalStore(file);
    store.open(numbered(1), accepted('M-1'));
    store.close();
    const database = new DatabaseSync(file, { defensive: false });
    database.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'ended = 0', 'ended = 7') WHERE name = 'txn_unfinished'`);
    database.close();
    const other = new DatabaseSync(file, { defensive: false });
    other.exec('REINDEX txn_unfinished; PRAGMA writable_schema = ON');
    other.exec(`UPDATE sqlite_schema SET sql = replace(sql, 'ended = 7', 'ended = 0') WHERE name = 'txn_unfinished'`);
    other.close();
    const spoilt = new JournalStore(file, undefined, undefined, { smallBytes: 0 });
    assert.deepEqual(spoilt.unfinished(), []);
    assert.throws(() => {
      const check = spoilt.check();
      while (!check.slice());
    }, isCorrupt);
    spoilt.close();
  });

  test('an earlier try is read too, and one of no transaction is damage', () => {
    const store = new JournalStore(file);
    const sale = numbered(1);
    store.open(sale, accepted('M-1'));
    for (let tries = 0; tries < attempts; tries++) store.intend(sale, draft());
    const check = store.check();
    while (!check.slice());
    // Its acceptance, its intents, and itself.
    assert.equal(check.checked, attempts - 1 + attempts + 1 + 1);
    store.close();
    const database = new DatabaseSync(file);
    database.exec(`UPDATE attempt SET txn_id = 'none' WHERE stan = (SELECT max(stan) FROM attempt)`);
    database.close();
    const spoilt = new JournalStore(file, undefined, undefined, { smallBytes: 0 });
    assert.throws(() => {
      const again = spoilt.check();
      while (!again.slice());
    }, isCorrupt);
    spoilt.close();
  });

  test('an event that is no JSON is told, and disturbs no other transaction', async () => {
    const store = new JournalStore(file);
    store.open(numbered(1), accepted('M-1'));
    store.open(numbered(2), accepted('M-2'));
    store.close();
    const database = new DatabaseSync(file);
    database.exec(`UPDATE event SET body = 'noise' WHERE seq = 1`);
    database.close();
    const { report, broken } = await checked();
    assert.equal(report.state, 'damaged');
    assert.match(report.reason ?? '', /1 events/);
    assert.equal(broken, undefined);
  });
});

test('after an orderly end the last check counts', async () => {
  cut();
  const { report } = await checked();
  const again = new JournalStore(file);
  assert.deepEqual(again.life.checkReport, { state: 'ok', at: report.at });
  again.close();
  // Cut off: what was said before says nothing any more.
  writeFileSync(file.replace('.db', '.state'), JSON.stringify({ ...marks(), clean: false }));
  assert.equal(marks()['checkedAt'], report.at);
  const unknown = new JournalStore(file);
  assert.deepEqual(unknown.life.checkReport, { state: 'never' });
  unknown.close();
});

test('a call that comes meanwhile waits for one slice at most', async () => {
  cut();
  const store = new JournalStore(file, undefined, undefined, { smallBytes: 0 });
  const { port1: main, port2: worker } = new MessageChannel();
  let slices = 0;
  let sentAt = 0;
  const waited: number[] = [];
  const done = Promise.withResolvers<void>();
  const scan = new IntegrityScan(store, {
    idleMs: 0,
    onDamage: done.reject,
    onNews({ state }) {
      if (state !== 'running') return done.resolve();
      slices += 1;
      sentAt = slices;
      main.postMessage(slices);
    },
  });
  worker.on('message', (ordinal: number) => {
    scan.noteCall();
    store.open(numbered(sales + ordinal), accepted(`LATE-${ordinal}`));
    waited.push(slices - sentAt);
  });
  await done.promise;
  assert.ok(Math.max(...waited) <= 1, `a call waited for ${Math.max(...waited)} slices`);
  assert.ok(slices >= 10, `${slices} slices`);
  assert.ok(waited.length >= slices - 1, `${waited.length} calls of ${slices}`);
  scan.stop();
  main.close();
  store.close();
});
