import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { acquirerId, ownPosIds, terminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { Archive } from '../../src/journal/archive.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { schemaVersion } from '../../src/journal/schema.ts';
import { Archiver } from '../../src/journal/archiver.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import type { JournalEvent, StoredEvent } from '../../src/payment/events/event.ts';
import type { SettledBatch } from '../../src/payment/events/settlement.ts';
import { eventually } from '../e2e/stage.ts';
import { accepted, draft, fromOne, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const january = Date.UTC(2026, 0, 20);
const later = Date.UTC(2027, 5, 1);
const cutoff = new Date(Date.UTC(2026, 2, 1));
const file = 'archive-2026-01.v2.jsonl.gz';
const success: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

let dir: string;
let store: JournalStore;
let time = january;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-archive-'));
  time = january;
  store = opened();
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function opened(): JournalStore {
  return new JournalStore(path.join(dir, 'journal.db'), () => new Date(time), fromOne);
}

/** A payment that is over, but for its batch. */
function sold(ordinal: number, events: readonly JournalEvent[] = [success], original?: number): void {
  const id = numbered(ordinal);
  const request = accepted(`M-${ordinal}`);
  store.open(id, original === undefined ? request : { ...request, originalId: numbered(original) });
  store.intend(id, draft());
  store.append(id, events);
}

function settle(): void {
  const batch = store.openBatch(EDC);
  const id = numbered(900_000 + batch);
  store.openSettlement({ id, posId: 'POS-1', messageId: `S-${batch}`, digest: '', at: new Date(time).toISOString() });
  const totals = [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }] as const;
  const result: SettledBatch = { acquirerId: EDC, mid: '', tid: '', batch, result: 'BALANCED', totals };
  const mark = store.batchMark(EDC, batch);
  const closed = {
    acquirerId: EDC,
    batch,
    at: new Date(time).toISOString(),
    totals,
    currencies: [],
    mark,
    mayStayUnknown: true,
  };
  // What is unfinished keeps it open.
  store.closeBatch(closed);
  store.endSettlement(id, [result], false);
}

/** The archive has no card numbers. */
function bare(events: readonly StoredEvent[]): StoredEvent[] {
  return events.map(({ at, event }) => ({
    at,
    event: event.kind === 'intent' ? { ...event, ksn: '', encryptedPan: '' } : event,
  }));
}

/** All portions, until there are no more. */
function archived(portion = 3): void {
  let after: number | undefined = 0;
  while (after !== undefined) ({ next: after } = store.archive(cutoff, after, portion));
}

function lines(name = file): { id: string }[] {
  const text = gunzipSync(readFileSync(path.join(dir, name))).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
}

function archives(): string[] {
  return readdirSync(dir).filter((name) => name.startsWith('archive-'));
}

test('what is settled and old moves into the file of its month, is read from there, and keeps its identity', () => {
  for (let ordinal = 1; ordinal <= 8; ordinal++) sold(ordinal);
  settle();
  const before = [1, 8].map((ordinal) => store.read(numbered(ordinal)));
  time = later;
  sold(9);
  archived();
  assert.deepEqual(archives(), [file]);
  assert.deepEqual(
    lines().map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7, 8].map(numbered),
  );
  store.close();
  store = opened();
  assert.deepEqual(
    [1, 8].map((ordinal) => store.read(numbered(ordinal))),
    before.map(bare),
  );
  assert.equal(store.find('POS-1', 'M-3'), numbered(3));
  assert.deepEqual(store.open(numbered(50), accepted('M-3')), { existing: numbered(3) });
  assert.deepEqual(store.intend(numbered(9), draft()).stan, 10);
  archived();
  assert.equal(lines().length, 8, 'something was archived twice');
});

/** A payment under an id that a clock of another year made. */
function soldUnder(clock: number, ordinal: number): void {
  const id = terminalTransactionId(new Date(clock), Buffer.alloc(10, ordinal));
  store.open(id, accepted(`M-${ordinal}`));
  store.intend(id, draft());
  store.append(id, [success]);
}

test('an id that a wrong clock made neither keeps a transaction nor moves one', () => {
  const [past, future] = [Date.UTC(1970, 0, 1), Date.UTC(2040, 0, 1)];
  soldUnder(future, 1);
  settle();
  time = later;
  soldUnder(past, 2);
  settle();
  archived(1);
  assert.deepEqual(lines(), [{ ...lines()[0], id: terminalTransactionId(new Date(future), Buffer.alloc(10, 1)) }]);
  assert.equal(lines().length, 1);
});

test('many young ones before an old one do not hide it', () => {
  time = later;
  for (let ordinal = 1; ordinal <= 40; ordinal++) sold(ordinal);
  time = january;
  sold(41);
  settle();
  archived(3);
  assert.deepEqual(
    lines().map(({ id }) => id),
    [numbered(41)],
  );
});

const rejection: JournalEvent = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  responseCode: '12',
  rrn: '',
  hostTime: '',
  hostDate: '',
};

test('a rejected advice moves once the operator has decided on it', () => {
  sold(1, [{ kind: 'adviceQueued' }, success, rejection, { kind: 'setAside', outcome: 'NOT_POSTED' }]);
  settle();
  time = later;
  archived();
  assert.equal(lines().length, 1);
  assert.deepEqual(store.rejectedAdvices(EDC), []);
});

describe('what is old and not over in every respect stays', () => {
  const reversal: JournalEvent[] = [{ kind: 'reversalQueued', reason: 'no-answer' }];
  const error: JournalEvent = { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: '' };
  const cases: readonly (readonly [string, () => void])[] = [
    ['no conclusion', () => sold(1, [])],
    ['a reversal that waits', () => sold(1, [...reversal, error])],
    ['an advice that waits', () => sold(1, [{ kind: 'adviceQueued' }, success])],
    [
      'an advice that was rejected, and nobody has decided on',
      () => sold(1, [{ kind: 'adviceQueued' }, success, rejection]),
    ],
    ['a receipt that waits', () => sold(1, [success, { kind: 'receiptQueued' }])],
    [
      'a sale whose refund is not over',
      () => {
        sold(1);
        sold(2, [], 1);
      },
    ],
    [
      'a sale whose void of its refund is not over, and so the refund',
      () => {
        sold(1);
        sold(2, [success], 1);
        sold(3, [...reversal, error], 2);
      },
    ],
    [
      'a refund of a sale that is not over',
      () => {
        sold(1, [...reversal, error]);
        sold(2, [success], 1);
      },
    ],
  ];
  for (const [name, happened] of cases) {
    test(name, () => {
      happened();
      settle();
      time = later;
      archived(1);
      archived();
      assert.deepEqual(archives(), []);
    });
  }

  test('an open batch', () => {
    sold(1);
    time = later;
    archived();
    assert.deepEqual(archives(), []);
    settle();
    archived();
    assert.deepEqual(archives(), [file]);
  });

  test('a sale with a refund of today', () => {
    sold(1);
    settle();
    time = later;
    sold(2, [success], 1);
    settle();
    archived();
    assert.deepEqual(archives(), []);
  });
});

test('the reversal is acknowledged, the receipt printed: then it goes, with all that refers to it', () => {
  sold(1, [success, { kind: 'receiptQueued' }]);
  sold(2, [{ kind: 'reversalQueued', reason: 'no-answer' }, success], 1);
  settle();
  archived();
  assert.deepEqual(archives(), []);
  store.append(numbered(1), [{ kind: 'receiptPrinted' }]);
  store.append(numbered(2), [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
  archived(1);
  assert.deepEqual(
    lines().map(({ id }) => id),
    [1, 2].map(numbered),
  );
  assert.deepEqual(
    store.later(numbered(1)).map(({ id, events }) => [id, events.length]),
    [[numbered(2), 5]],
  );
});

test('a payment besides stays with its sale until it was given back', () => {
  sold(1);
  const id = numbered(2);
  const own = { ...accepted('M-1 EDC 1'), posId: ownPosIds.terminal, originalId: numbered(1), isStray: true } as const;
  store.open(id, own);
  const wallet = { scheme: 'FPS', entryMode: 'QR_PRESENT' } as const;
  const address = { acquirerId: draft().acquirerId, mid: '', tid: '' };
  store.intend(id, { operation: 'sale', ...address, wallet, isFinal: true, sentAt: '2026-01-01T00:00:00.000Z' });
  store.append(id, [success]);
  settle();
  archived();
  assert.deepEqual([archives(), store.unmatched()], [[], [id]]);
  store.append(id, [{ kind: 'givenBackInCash', who: 'OPERATOR', session: 'one' }]);
  archived();
  assert.deepEqual(
    lines().map((each) => each.id),
    [1, 2].map(numbered),
  );
  assert.deepEqual(store.unmatched(), []);
});

test('what no commit names is left alone, whoever wrote it: the next portion begins another file', () => {
  for (let ordinal = 1; ordinal <= 4; ordinal++) sold(ordinal);
  settle();
  store.archive(cutoff, 0, 2);
  assert.equal(lines().length, 2);
  appendFileSync(path.join(dir, file), 'half of a member, or all that a journal wrote of which this is an older copy');
  const left = readFileSync(path.join(dir, file));
  archived();
  assert.deepEqual(readFileSync(path.join(dir, file)), left);
  assert.deepEqual(
    lines(file.replace('.jsonl', '.2.jsonl')).map(({ id }) => id),
    [3, 4].map(numbered),
  );
  assert.equal(store.read(numbered(1)).length, 3);
  assert.equal(store.read(numbered(4)).length, 3);
});

test('a new journal leaves the archive of the one that was lost as it is', () => {
  for (let ordinal = 1; ordinal <= 3; ordinal++) sold(ordinal);
  settle();
  archived();
  const left = readFileSync(path.join(dir, file));
  store.close();
  for (const name of readdirSync(dir)) if (name.startsWith('journal.db')) rmSync(path.join(dir, name));
  time = january;
  store = opened();
  for (let ordinal = 11; ordinal <= 13; ordinal++) sold(ordinal);
  settle();
  time = later;
  archived();
  assert.deepEqual(readFileSync(path.join(dir, file)), left);
  assert.equal(store.read(numbered(13)).length, 3);
});

test('a portion that this process wrote in vain is written over', () => {
  const archive = new Archive(dir, schemaVersion);
  const transactions = [1, 2, 3].map((ordinal) => {
    sold(ordinal);
    return { id: numbered(ordinal), events: store.read(numbered(ordinal)) };
  });
  const places = archive.append(file, () => 0, transactions);
  assert.deepEqual(
    archive.append(file, () => 0, transactions),
    places,
  );
  assert.deepEqual(archives(), [file]);
  assert.equal(lines().length, 3);
});

test('an archive that is gone, or damaged, is named; nothing more is archived into it', () => {
  for (let ordinal = 1; ordinal <= 2; ordinal++) sold(ordinal);
  settle();
  store.archive(cutoff, 0, 1);
  rmSync(path.join(dir, file));
  const named = (error: unknown) =>
    error instanceof JournalError && error.code === 'archive' && error.message.includes(file);
  assert.throws(() => store.read(numbered(1)), named);
  assert.throws(() => archived());
  assert.equal(store.read(numbered(2)).length, 3);
  assert.deepEqual(store.open(numbered(50), accepted('M-1')), { existing: numbered(1) });
});

test('what this version can’t read is archived as it is, and told as that from there', () => {
  sold(1, [{ kind: 'tokenized', token: 'T' } as unknown as JournalEvent, success]);
  settle();
  const [, , event] = store.read(numbered(1));
  assert.deepEqual(event?.event, {
    kind: 'unreadable',
    reason: 'this version does not know the kind of one of its events',
    body: '{"format":1,"kind":"tokenized","token":"T"}',
  });
  archived();
  assert.equal(archives().length, 1);
  assert.deepEqual(store.read(numbered(1))[2], event);
  assert.deepEqual(store.read(numbered(1))[3]?.event, success);
});

test('the journal itself does so while nobody asks for anything, and answers from there', async () => {
  sold(1);
  settle();
  const before = store.read(numbered(1));
  store.close();
  const journal = await openJournal(path.join(dir, 'journal.db'), { retentionDays: 0 });
  try {
    await eventually(
      async () => archives(),
      (names) => names.length === 1,
    );
    assert.deepEqual(await journal.read(numbered(1)), bare(before));
    assert.equal((await journal.findIdentity('POS-1', 'M-1')).transaction, numbered(1));
  } finally {
    await journal.close();
    store = opened();
  }
});

const faults = [
  [
    'can not be written',
    () => symlinkSync(path.join(dir, 'not', 'there'), path.join(dir, file)),
    'storage',
    /^the archive archive-2026-01.v2.jsonl.gz of the journal can't be written \(ENOENT\)$/,
  ],
  [
    'is cut off',
    () => {
      store.archive(cutoff, 0, 1);
      truncateSync(path.join(dir, file), 10);
    },
    'archive',
    /^the archive archive-2026-01.v2.jsonl.gz of the journal is missing or damaged: put it back into \S+ from a backup$/,
  ],
] as const;

for (const [what, spoilt, code, message] of faults) {
  test(`an archive that ${what} is told, and nothing is lost`, async () => {
    for (let ordinal = 1; ordinal <= 2; ordinal++) sold(ordinal);
    settle();
    spoilt();
    const before = store.read(numbered(2));
    store.close();
    const failed = Promise.withResolvers<JournalError>();
    const onArchiveFailure = failed.resolve;
    const journal = await openJournal(path.join(dir, 'journal.db'), { retentionDays: 0, onArchiveFailure });
    try {
      assert.equal(journal.archiveFault, undefined);
      const error = await failed.promise;
      assert.deepEqual([error.name, error.code], ['JournalError', code]);
      assert.match(error.message, message);
      assert.equal(journal.archiveFault, error.message);
      assert.deepEqual(await journal.read(numbered(2)), before);
      assert.equal(await journal.health(), 'ok');
    } finally {
      await journal.close();
      store = opened();
    }
  });
}

test('an archive that can be written again is told too, and takes what waited', async () => {
  sold(1);
  settle();
  symlinkSync(path.join(dir, 'not', 'there'), path.join(dir, file));
  const looks: (string | undefined)[] = [];
  const healed = Promise.withResolvers<void>();
  const archiver = new Archiver(
    store,
    0,
    (fault) => {
      looks.push(fault?.code);
      if (fault) rmSync(path.join(dir, file), { recursive: true });
      else healed.resolve();
    },
    1,
  );
  await healed.promise;
  archiver.stop();
  assert.deepEqual(looks, ['storage', undefined]);
  assert.deepEqual(
    lines().map(({ id }) => id),
    [numbered(1)],
  );
});
