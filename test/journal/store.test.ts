import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { schemaVersion } from '../../src/journal/schema.ts';
import { JournalStore, testedSchema } from './tested-store.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { accepted, draft, fromOne, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const unserialisable = { kind: 'reversalQueued', reason: 1n } as unknown as JournalEvent;

let dir: string;
let file: string;
let store: JournalStore;
let time = 0;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  file = path.join(dir, 'journal.db');
  time = Date.UTC(2026, 0, 1);
  store = new JournalStore(file, () => new Date(time), fromOne);
});
afterEach(() => {
  close();
  rmSync(dir, { recursive: true });
});

function close(): void {
  try {
    store.close();
  } catch {
    // Closed by the test.
  }
}

function reopen(): void {
  close();
  store = new JournalStore(file, () => new Date(time), fromOne);
}

/** Looks into the file itself, while no store has it. */
function raw<T>(look: (database: DatabaseSync) => T): T {
  close();
  const database = new DatabaseSync(file);
  try {
    return look(database);
  } finally {
    database.close();
  }
}

function kinds(ordinal: number): string[] {
  return store.read(numbered(ordinal)).map(({ event }) => event.kind);
}

test('an identity names one transaction, for ever', () => {
  assert.deepEqual(store.open(numbered(1), accepted('M-1')), {});
  assert.deepEqual(store.open(numbered(2), accepted('M-1')), { existing: numbered(1) });
  assert.deepEqual(store.open(numbered(3), { ...accepted('M-1'), posId: 'POS-2' }), {});
  assert.deepEqual(kinds(2), []);
  reopen();
  assert.deepEqual(store.open(numbered(4), accepted('M-1')), { existing: numbered(1) });
  assert.equal(store.find('POS-1', 'M-1'), numbered(1));
  assert.equal(store.find('POS-2', 'M-1'), numbered(3));
  assert.equal(store.find('POS-1', 'M-2'), undefined);
});

test('an identifier that was given twice is refused, not mixed up', () => {
  store.open(numbered(1), accepted('M-1'));
  assert.throws(() => store.open(numbered(1), accepted('M-2')));
  assert.equal(store.find('POS-1', 'M-2'), undefined);
  assert.deepEqual(kinds(1), ['accepted']);
});

test('events come back as they were written, in their order, with their times', () => {
  store.open(numbered(1), accepted('M-1'));
  time += 1_500;
  store.append(numbered(1), [{ kind: 'reversalQueued', reason: 'a "reason" of 中文' }, { kind: 'receiptQueued' }]);
  reopen();
  assert.deepEqual(store.read(numbered(1)), [
    { at: '2026-01-01T00:00:00.000Z', event: accepted('M-1') },
    { at: '2026-01-01T00:00:01.500Z', event: { kind: 'reversalQueued', reason: 'a "reason" of 中文' } },
    { at: '2026-01-01T00:00:01.500Z', event: { kind: 'receiptQueued' } },
  ]);
  assert.deepEqual(store.read(numbered(2)), []);
});

test('several events are written all or not at all, and the store works on', () => {
  store.open(numbered(1), accepted('M-1'));
  for (const events of [
    [{ kind: 'receiptQueued' } as const, unserialisable],
    [unserialisable, { kind: 'receiptQueued' } as const],
    [{ kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const, unserialisable],
  ]) {
    assert.throws(() => store.append(numbered(1), events), TypeError);
  }
  assert.deepEqual(kinds(1), ['accepted']);
  assert.deepEqual(store.unfinished(), [numbered(1)]);
  assert.deepEqual(store.waitingReceipts(), []);
  assert.deepEqual(store.pending(), []);
  store.append(numbered(1), [{ kind: 'receiptQueued' }]);
  assert.deepEqual(kinds(1), ['accepted', 'receiptQueued']);
});

test('nothing is written to a transaction that was never opened, and it takes no trace number', () => {
  assert.throws(() => store.append(numbered(1), [{ kind: 'receiptQueued' }]));
  assert.throws(() => store.intend(numbered(1), draft()));
  store.open(numbered(1), accepted('M-1'));
  assert.deepEqual(store.intend(numbered(1), draft()), { stan: 1, invoice: 1, batch: 1 });
});

test('an intent is written with the numbers that it was given', () => {
  store.open(numbered(1), accepted('M-1'));
  const trace = store.intend(numbered(1), draft());
  assert.deepEqual(store.read(numbered(1)).at(-1)?.event, { kind: 'intent', ...draft(), trace });
});

test('trace numbers go up by one for each acquirer alone, and survive a reopening', () => {
  for (let ordinal = 1; ordinal <= 6; ordinal++) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    const acquirer = ordinal % 2 ? 'EDC' : 'CUP';
    assert.equal(store.intend(numbered(ordinal), draft(acquirer)).stan, Math.ceil(ordinal / 2));
    reopen();
  }
  assert.equal(store.openBatch(EDC), 1);
  assert.equal(store.openBatch(acquirerId('EPS')), 1);
});

test('after 999999 comes 1, never 0 and never seven digits', () => {
  store.open(numbered(1), accepted('M-1'));
  store.intend(numbered(1), draft());
  raw((database) => database.exec('UPDATE trace SET stan = 999998, invoice = 999997, batch = 7'));
  reopen();
  const traces = [2, 3, 4, 5].map((ordinal) => {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    return store.intend(numbered(ordinal), draft());
  });
  assert.deepEqual(
    traces.map(({ stan }) => stan),
    [999_999, 1, 2, 3],
  );
  assert.deepEqual(
    traces.map(({ invoice }) => invoice),
    [999_998, 999_999, 1, 2],
  );
  assert.deepEqual(
    traces.map(({ batch }) => batch),
    [7, 7, 7, 7],
  );
  assert.equal(store.openBatch(EDC), 7);
});

test('what a start has to look at: unfinished as they came, receipts oldest first, reversals as they were queued', () => {
  for (const ordinal of [3, 1, 2]) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft(ordinal === 2 ? 'CUP' : 'EDC'));
  }
  assert.deepEqual(store.unfinished(), [3, 1, 2].map(numbered));
  for (const ordinal of [3, 2, 1]) {
    store.append(numbered(ordinal), [{ kind: 'reversalQueued', reason: 'no-answer' }, { kind: 'receiptQueued' }]);
  }
  // A reversal may not overtake what was queued before it, so its order is that of the queue.
  const pending = [3, 2, 1].map((ordinal) => ({
    id: numbered(ordinal),
    acquirerId: acquirerId(ordinal === 2 ? 'CUP' : 'EDC'),
    message: 'reversal',
  }));
  const receipt = (ordinal: number) => ({ id: numbered(ordinal), paper: 'receipt' });
  assert.deepEqual(store.pending(), pending);
  assert.deepEqual(store.waitingReceipts(), [1, 2, 3].map(receipt));

  store.append(numbered(2), [
    { kind: 'reversalSent', attempt: 1 },
    { kind: 'reversalAcknowledged', responseCode: '00' },
    { kind: 'receiptPrinted' },
    { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: 'reversed' },
  ]);
  reopen();
  assert.deepEqual(store.unfinished(), [3, 1].map(numbered));
  assert.deepEqual(store.pending(), [pending[0], pending[2]]);
  assert.deepEqual(store.waitingReceipts(), [1, 3].map(receipt));
});

test('the file is a write-ahead-logged database, and whole', () => {
  store.open(numbered(1), accepted('M-1'));
  assert.equal(
    raw((database) => database.prepare('PRAGMA journal_mode').get()?.['journal_mode']),
    'wal',
  );
  assert.equal(
    raw((database) => database.prepare('PRAGMA integrity_check').get()?.['integrity_check']),
    'ok',
  );
});

test('an empty file is a journal from version 0 on', () => {
  close();
  rmSync(file);
  writeFileSync(file, '');
  reopen();
  store.open(numbered(1), accepted('M-1'));
  assert.equal(
    raw((database) => database.prepare('PRAGMA user_version').get()?.['user_version']),
    testedSchema,
  );
});

for (const mode of ['wal', 'delete'] as const) {
  test(`a journal of a newer version is refused and left as it is (${mode})`, () => {
    store.open(numbered(1), accepted('M-1'));
    raw((database) => database.exec(`PRAGMA journal_mode = ${mode}; PRAGMA user_version = ${schemaVersion + 1}`));
    const before = readFileSync(file);
    assert.throws(
      () => new JournalStore(file),
      (error) => error instanceof JournalError && error.code === 'newer',
    );
    assert.deepEqual(readFileSync(file), before);
  });
}

test('what is no database is refused and left as it is', () => {
  close();
  for (const content of ['this is no database', Buffer.alloc(8192, 0x5a)]) {
    writeFileSync(file, content);
    assert.throws(() => new JournalStore(file));
    assert.deepEqual(readFileSync(file), Buffer.from(content));
  }
});

test('a migration that fails leaves the old version', () => {
  raw((database) => {
    database.exec('PRAGMA user_version = 0');
  });
  // The tables of version 1 stand already, so that migration 0 must fail.
  assert.throws(() => new JournalStore(file), /already exists/);
  assert.equal(
    raw((database) => database.prepare('PRAGMA user_version').get()?.['user_version']),
    0,
  );
});

test('a second store in the same process is kept out too, before and after the first writes', () => {
  const busy = (error: unknown) => error instanceof JournalError && error.code === 'held';
  assert.throws(() => new JournalStore(file), busy);
  reopen();
  assert.throws(() => new JournalStore(file), busy, 'opened and never written');
  store.open(numbered(1), accepted('M-1'));
  assert.throws(() => new JournalStore(file), busy);
  store.close();
  store = new JournalStore(file);
  assert.deepEqual(kinds(1), ['accepted']);
});

const unknownEnd: JournalEvent = { kind: 'ended', outcome: 'error', result: 'UNKNOWN', code: 7, message: 'not yet' };
const approvedEnd: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

/** What the columns say of one transaction, for the queries of a start. */
function columns(ordinal: number) {
  const sql = 'SELECT ended, acquirer_id, batch, reversal, receipt FROM txn WHERE id = ?';
  const row = raw((database) => database.prepare(sql).get(numbered(ordinal)));
  reopen();
  return { ...row };
}

test('what was withdrawn is in no batch and at no acquirer, until another intent follows', () => {
  store.open(numbered(1), accepted('M-1'));
  store.intend(numbered(1), draft('QR'));
  store.append(numbered(1), [{ kind: 'withdrawn' }]);
  assert.deepEqual(columns(1), { ended: 0, acquirer_id: null, batch: null, reversal: null, receipt: null });
  assert.deepEqual(store.batchPage(acquirerId('QR'), 1, '', 10), []);
  assert.deepEqual(store.unfinished(), [numbered(1)]);
  // Its numbers are spent all the same.
  const { stan } = store.intend(numbered(1), draft('QR'));
  store.append(numbered(1), [{ kind: 'withdrawn' }]);
  assert.equal(store.intend(numbered(1), draft('QR')).stan, stan + 1);
  store.append(numbered(1), [{ kind: 'withdrawn' }]);
  assert.deepEqual(store.intend(numbered(1), draft('EDC')), { stan: 1, invoice: 1, batch: 1 });
  assert.equal(columns(1)['acquirer_id'], 'EDC');
  assert.deepEqual(
    store.batchPage(EDC, 1, '', 10).map(({ id }) => id),
    [numbered(1)],
  );
  assert.deepEqual(kinds(1), [
    'accepted',
    ...Array.from({ length: 3 }, () => ['intent', 'withdrawn']).flat(),
    'intent',
  ]);
});

test('what is resolved waits no more, and counts in the batch that is open when it becomes known', () => {
  const OCTOPUS = acquirerId('OCTOPUS');
  store.open(numbered(1), accepted('M-1'));
  store.intend(numbered(1), draft('OCTOPUS'));
  store.append(numbered(1), [{ kind: 'reversalQueued', reason: 'incomplete' }, unknownEnd]);
  assert.deepEqual(store.pending(), [{ id: numbered(1), acquirerId: OCTOPUS, message: 'reversal' }]);
  raw((database) => database.exec("UPDATE trace SET batch = 3 WHERE acquirer_id = 'OCTOPUS'"));
  reopen();
  store.append(numbered(1), [approvedEnd, { kind: 'receiptQueued' }, { kind: 'resolved' }]);
  assert.deepEqual(store.pending(), []);
  assert.deepEqual(store.unfinished(), []);
  assert.deepEqual(store.batchPage(OCTOPUS, 1, '', 10), []);
  assert.deepEqual(
    store.batchPage(OCTOPUS, 3, '', 10).map(({ id }) => id),
    [numbered(1)],
  );
  assert.deepEqual(columns(1), { ended: 1, acquirer_id: 'OCTOPUS', batch: 3, reversal: null, receipt: 'queued' });
});

test('what is withdrawn or resolved changes no other transaction', () => {
  for (const ordinal of [1, 2]) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft('QR'));
    store.append(numbered(ordinal), [{ kind: 'reversalQueued', reason: 'no-answer' }]);
  }
  const before = columns(2);
  store.append(numbered(1), [approvedEnd, { kind: 'resolved' }]);
  store.append(numbered(1), [{ kind: 'withdrawn' }]);
  assert.deepEqual(columns(2), before);
  assert.deepEqual(
    store.pending().map(({ id }) => id),
    [numbered(2)],
  );
});
