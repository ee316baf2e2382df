import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalReading } from '../../src/journal/journal-reading.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { oldestUsable, schemaVersion } from '../../src/journal/schema.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import { accepted, draft, numbered } from './events.ts';

/** A version on trial works with the schema of the version before, which must be able to read what was written. */

const EDC = acquirerId('EDC');
const ended: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };
const root = fileURLToPath(new URL('../..', import.meta.url));
const contract = ['store', 'batches', 'changes', 'listing', 'check'];

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-on-trial-'));
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

const openStore = (isOnTrial: boolean) => new JournalStore(file, undefined, undefined, { isOnTrial });
const refusedAs = (code: string) => (error: unknown) => error instanceof JournalError && error.code === code;

function raw<T>(look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return look(database);
  } finally {
    database.close();
  }
}

const versionOf = () => raw((database) => database.prepare('PRAGMA user_version').get()?.['user_version']);

/** Every event as it is in the file. */
const eventsIn = () => raw((database) => database.prepare('SELECT * FROM every_event ORDER BY seq').all());

function sell(store: JournalStore, ordinal: number, ...more: readonly JournalEvent[]): void {
  store.open(numbered(ordinal), accepted(`M-${ordinal}`));
  store.intend(numbered(ordinal), draft());
  store.append(numbered(ordinal), [...more, ended]);
}

function settle(store: JournalStore): void {
  const batch = store.openBatch(EDC);
  const at = new Date().toISOString();
  const closed = { acquirerId: EDC, batch, at, totals: [], currencies: [], mark: store.batchMark(EDC, batch) };
  assert.equal(store.closeBatch({ ...closed, mayStayUnknown: false }), 'closed');
  const settled = { acquirerId: EDC, mid: '', tid: '', batch, result: 'BALANCED', totals: [] } as const;
  store.endSettlement(numbered(90), [settled], false);
}

test('the journal’s own tests pass with the schema of the version before', async () => {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const files = contract.map((each) => `test/journal/${each}.test.ts`);
  const env = { ...inherited, POID_TEST_ON_TRIAL: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd: root,
    env,
  }).catch((error: { stdout: string }) => assert.fail(error.stdout));
  assert.match(stdout, /^# pass \d{2,}$/m);
});

test('what is done on trial leaves the schema, is there after a restart, and is whole once it is migrated', () => {
  const trial = openStore(true);
  assert.equal(trial.migrated.schema, oldestUsable);
  sell(trial, 1);
  sell(trial, 2, { kind: 'reversalQueued', reason: 'no-answer' });
  trial.openSettlement({
    id: numbered(90),
    posId: 'POS-1',
    messageId: 'S',
    digest: 'd',
    at: '2026-01-01T00:00:00.000Z',
  });
  trial.append(numbered(2), [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
  settle(trial);
  assert.equal(trial.archive(new Date(Date.now() + 60_000), 0, 10).old, 2);
  trial.close();
  assert.equal(versionOf(), oldestUsable);
  const again = openStore(true);
  sell(again, 3);
  const batch = again.openBatch(EDC);
  again.close();
  assert.equal(versionOf(), oldestUsable);
  const all = eventsIn();
  const kept = openStore(false);
  assert.deepEqual(kept.migrated, { schema: schemaVersion });
  assert.equal(kept.life.succession, 'same');
  assert.deepEqual([kept.openBatch(EDC), kept.find('POS-1', 'M-3')], [batch, numbered(3)]);
  assert.deepEqual(
    [1, 2, 3].map((each) => kept.read(numbered(each)).map(({ event }) => event.kind)),
    [
      ['accepted', 'intent', 'ended'],
      ['accepted', 'intent', 'reversalQueued', 'ended', 'reversalAcknowledged'],
      ['accepted', 'intent', 'ended'],
    ],
  );
  for (const check = kept.check(); !check.slice(); );
  kept.close();
  assert.equal(versionOf(), schemaVersion);
  assert.deepEqual(eventsIn(), all);
});

test('on trial, a journal of this version’s schema stays what it is, and an older or a newer one is refused unchanged', () => {
  openStore(false).close();
  openStore(true).close();
  assert.equal(versionOf(), schemaVersion);
  for (const [version, code] of [
    [oldestUsable - 1, 'older'],
    [schemaVersion + 1, 'newer'],
  ] as const) {
    raw((database) => database.exec(`PRAGMA user_version = ${version}`));
    const before = readFileSync(file);
    assert.throws(() => openStore(true), refusedAs(code));
    assert.deepEqual(readFileSync(file), before);
  }
});

test('an event that the version before does not know is not written', async () => {
  const journal = await openJournal(file, { isOnTrial: true });
  await journal.open(numbered(1), accepted('M-1'));
  assert.deepEqual([journal.takes('receiptCutOff'), journal.takes('receiptQueued')], [false, true]);
  await assert.rejects(journal.append(numbered(1), [{ kind: 'receiptCutOff' }]), /needs a later schema/);
  assert.deepEqual(journal.schema, { version: oldestUsable, migration: 'onTrial' });
  await journal.close();
  const migrated = await openJournal(file);
  assert.deepEqual(migrated.schema, { version: schemaVersion });
  const events = await migrated.append(numbered(1), [{ kind: 'receiptCutOff' }]);
  assert.deepEqual(
    events.map(({ event }) => event.kind),
    ['accepted', 'receiptCutOff'],
  );
  await migrated.close();
});

test('a migration that fails leaves the schema of the version before, and the journal is used; the next start tries again', async () => {
  openStore(true).close();
  const index = 'CREATE INDEX txn_kept ON txn (opened) WHERE archive IS NULL AND ended = 1';
  // Without it, the step that drops it must fail.
  raw((database) => database.exec('DROP INDEX txn_kept'));
  const journal = await openJournal(file);
  assert.equal(journal.schema?.version, oldestUsable);
  assert.equal(journal.schema.migration, 'failed');
  assert.match(journal.schema.fault ?? '', /no such index/);
  await journal.open(numbered(1), accepted('M-1'));
  await journal.close();
  raw((database) => database.exec(index));
  const mended = openStore(false);
  assert.equal(mended.migrated.schema, schemaVersion);
  assert.equal(mended.find('POS-1', 'M-1'), numbered(1));
  mended.close();
});

test('commands read the journal of a version on trial, while the daemon is stopped', async () => {
  const trial = openStore(true);
  sell(trial, 1);
  trial.close();
  const reading = await JournalReading.open(file, () => 'declined');
  assert.equal((await reading?.read(numbered(1)))?.length, 3);
  reading?.close();
  assert.equal(versionOf(), oldestUsable);
});
