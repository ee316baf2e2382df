import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { migrate } from '../../src/journal/migration.ts';
import { numbered } from './events.ts';
import { dayMs, ErasingStage, success } from './erasing-stage.ts';

const reversed: JournalEvent[] = [
  { kind: 'answered', outcome: { kind: 'unknown', reason: 'no-answer' } },
  { kind: 'reversalQueued', reason: 'no-answer' },
  { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: '' },
];
const declined: JournalEvent = { kind: 'ended', outcome: 'declined', result: 'DECLINED', code: 1051, message: '' };
const rejection: JournalEvent = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  responseCode: '05',
  rrn: '',
  hostTime: '',
  hostDate: '',
};
const advice = [{ kind: 'adviceQueued' }, success] as const;
const of = (type: Accepted['type'], original: number): Partial<Accepted> => ({ type, originalId: numbered(original) });

const panIn = ({ store }: ErasingStage, ordinal: number) =>
  store
    .read(numbered(ordinal))
    .flatMap(({ event }) => (event.kind === 'intent' && 'card' in event ? [event.encryptedPan] : []));

describe('the card number of a payment', () => {
  test('is removed from the files a day after the last that was heard of it, once it is settled', (t) => {
    const stage = ErasingStage.open(t);
    stage.sell(1);
    stage.sell(2, [declined]);
    stage.erase();
    stage.now += dayMs * 3;
    stage.erase();
    assert.deepEqual(stage.found([1, 2]), [1, 2], 'its batch is open');
    stage.settle();
    stage.sell(3);
    stage.settle();
    stage.now += dayMs - 1;
    stage.erase();
    assert.deepEqual(stage.found([1, 2, 3]), [3]);
    assert.deepEqual(panIn(stage, 1), ['']);
    stage.now += 2;
    stage.erase();
    assert.deepEqual(stage.found([1, 2, 3]), []);
  });

  test('stays as long as a message may need it', (t) => {
    const stage = ErasingStage.open(t);
    stage.sell(1, reversed);
    stage.sell(2, [...advice, rejection]);
    stage.sell(3, advice);
    stage.settle();
    stage.sell(4);
    stage.settle(false);
    stage.now += dayMs * 30;
    stage.erase();
    assert.deepEqual(stage.found([1, 2, 3, 4]), [1, 2, 3, 4]);
    stage.store.append(numbered(1), [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
    // The bank says that it is posted: it is uploaded with the batch that is open now.
    stage.store.append(numbered(2), [{ kind: 'setAside', outcome: 'POSTED' }]);
    stage.now += dayMs + 1;
    stage.erase();
    assert.deepEqual(stage.found([1, 2, 3, 4]), [2, 3, 4]);
    stage.settle();
    stage.erase();
    assert.deepEqual(stage.found([2, 3, 4]), [3, 4]);
  });

  test('stays with an authorization until that is completed and settled, or released', (t) => {
    const stage = ErasingStage.open(t);
    const auth = { type: 'AUTH' } as const;
    for (const each of [1, 2, 3, 4, 5]) stage.sell(each, [success], auth);
    stage.sell(6, [declined], auth);
    stage.settle();
    stage.sell(11, [...advice, { ...rejection, answer: 'acknowledged' }], of('AUTH_COMP', 1));
    stage.sell(12, [success], of('VOID_AUTH', 2));
    stage.sell(13, [...advice, { ...rejection, answer: 'acknowledged' }], of('OFFLINE_SALE', 3));
    stage.sell(23, [success], of('VOID_OFFLINE', 13));
    stage.sell(14, [...advice, rejection, { kind: 'setAside', outcome: 'NOT_POSTED' }], of('AUTH_COMP', 4));
    stage.settle();
    stage.now += dayMs * 90;
    stage.erase();
    // 3: its completion was voided; 4: it was rejected; 5: nothing has come of it yet.
    assert.deepEqual(stage.found([1, 2, 3, 4, 5, 6, 11, 12]), [3, 4, 5]);
    stage.sell(15, [success], of('VOID_AUTH', 5));
    stage.settle();
    stage.now += dayMs + 1;
    stage.erase();
    assert.deepEqual(stage.found([3, 4, 5]), [3, 4]);
    stage.archive();
    stage.erase();
    assert.deepEqual(stage.found([3, 4, 13, 14, 23]), [], 'the archive has none, nor what it was moved from');
  });

  test('is removed of each attempt of a payment', (t) => {
    const stage = ErasingStage.open(t);
    stage.sell(1, []);
    stage.store.intend(numbered(1), { ...intentOf(stage), encryptedPan: 'DD'.repeat(16) });
    stage.store.append(numbered(1), [success]);
    stage.settle();
    stage.now += dayMs + 1;
    stage.erase();
    assert.deepEqual(panIn(stage, 1), ['', '']);
  });
});

function intentOf({ store }: ErasingStage) {
  for (const { event } of store.read(numbered(1)))
    if (event.kind === 'intent' && 'card' in event) {
      const { kind: _kind, trace: _trace, ...rest } = event;
      return rest;
    }
  return assert.fail('no intent');
}

test('removing changes nothing else: not the order, not the numbers, not what the journal says of itself', (t) => {
  const stage = ErasingStage.open(t);
  for (let ordinal = 1; ordinal <= 60; ordinal++) stage.sell(ordinal);
  stage.settle();
  stage.now += dayMs + 1;
  const before = Array.from({ length: 60 }, (_, index) => stage.store.read(numbered(index + 1)));
  const changes = stage.store.changes(0);
  const bytes = () =>
    stage.raw((database) => database.prepare('SELECT sum(length(body)) AS sum FROM event').get()?.['sum']);
  const written = bytes();
  stage.erase();
  assert.equal(bytes(), written, 'each number is overwritten where it stands');
  const bare = before.map((events) =>
    events.map((each) => ({
      ...each,
      event: each.event.kind === 'intent' ? { ...each.event, ksn: '', encryptedPan: '' } : each.event,
    })),
  );
  const after = Array.from({ length: 60 }, (_, index) => stage.store.read(numbered(index + 1)));
  assert.deepEqual(after, bare);
  assert.deepEqual(stage.store.changes(0), changes);
  const check = stage.store.check();
  while (!check.slice());
  assert.equal(check.unreadable, 0);
});

test('a cut after any step loses nothing, and the next start removes the rest', (t) => {
  const stage = ErasingStage.open(t);
  for (let ordinal = 1; ordinal <= 50; ordinal++) stage.sell(ordinal);
  stage.settle();
  stage.sell(51);
  stage.now += dayMs + 1;
  const all = Array.from({ length: 51 }, (_, index) => index + 1);
  let steps = 0;
  stage.erase(() => {
    steps += 1;
    const cut = stage.cut(t);
    cut.erase();
    assert.deepEqual(cut.found(all), [51]);
    for (const ordinal of all) assert.equal(cut.store.read(numbered(ordinal)).length, 3);
  });
  assert.ok(steps >= 3);
  assert.deepEqual(stage.found(all), [51]);
});

describe('a journal of the version before', () => {
  /** Archived by it: events were deleted, and the archive has their card numbers. */
  function older(t: Parameters<typeof ErasingStage.open>[0]): ErasingStage {
    const stage = ErasingStage.open(t, true);
    for (let ordinal = 1; ordinal <= 50; ordinal++) stage.sell(ordinal);
    stage.settle();
    stage.now += 1;
    // It deleted without overwriting.
    const free = 'PRAGMA secure_delete = OFF; CREATE TABLE moved AS SELECT * FROM event; DROP TABLE moved';
    stage.raw((database) => database.exec(free), true);
    stage.archive();
    for (let ordinal = 51; ordinal <= 60; ordinal++) stage.sell(ordinal);
    stage.settle();
    stage.sell(61);
    stage.now += dayMs + 1;
    return stage;
  }
  const all = Array.from({ length: 61 }, (_, index) => index + 1);
  const archives = ({ dir }: ErasingStage) => readdirSync(dir).filter((name) => name.startsWith('archive'));

  test('keeps its card numbers while this version is on trial', (t) => {
    const stage = older(t);
    stage.restart(true);
    assert.equal(stage.store.erasing.isAllowed, false);
    assert.deepEqual(archives(stage), ['archive-2026-01.jsonl.gz']);
    assert.deepEqual(stage.found(all), all);
  });

  test('loses them in the file, in its free space, in its log and in its archive', (t) => {
    const stage = older(t);
    stage.restart();
    stage.erase();
    assert.deepEqual(archives(stage), ['archive-2026-01.v2.jsonl.gz']);
    assert.deepEqual(stage.found(all), [61]);
    for (const ordinal of all) assert.equal(stage.store.read(numbered(ordinal)).length, 3);
    stage.store.archivesPresent();
  });

  test('survives a cut after any step', (t) => {
    const stage = older(t);
    stage.restart();
    stage.erase(() => {
      const cut = stage.cut(t);
      for (const ordinal of all) assert.equal(cut.store.read(numbered(ordinal)).length, 3);
      cut.store.archivesPresent();
      cut.erase();
      assert.deepEqual(cut.found(all), [61]);
      assert.deepEqual(archives(cut), ['archive-2026-01.v2.jsonl.gz']);
    });
  });

  test('whose archive is damaged keeps it as it is, to be put back, and loses what can be read', (t) => {
    const stage = older(t);
    rmSync(path.join(stage.dir, 'archive-2026-01.jsonl.gz'));
    stage.restart();
    stage.erase();
    assert.deepEqual(stage.found(all), [61]);
    assert.throws(() => stage.store.archivesPresent(), /archive-2026-01\.jsonl\.gz of the journal is missing/);
  });
});

test('a cut while the file is written anew leaves the old file or the new one', (t) => {
  const stage = ErasingStage.open(t, true);
  for (let ordinal = 1; ordinal <= 50; ordinal++) stage.sell(ordinal);
  stage.settle();
  stage.now += 1;
  stage.archive();
  const file = path.join(stage.dir, 'journal.db');
  let [content, log] = [Buffer.alloc(0), Buffer.alloc(0)];
  stage.restart(false, () => {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    migrate(database);
    [content, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
    database.close();
  });
  const all = Array.from({ length: 50 }, (_, index) => index + 1);
  for (let part = 0; part <= 20; part++) {
    const cut = stage.cut(t, () => ({
      'journal.db': content,
      'journal.db-wal': log.subarray(0, (log.length * part) / 20),
    }));
    for (const ordinal of all) assert.equal(cut.store.read(numbered(ordinal)).length, 3);
    cut.erase();
    assert.deepEqual(cut.found(all), [], `after ${part} of 20 parts of the log`);
  }
});
