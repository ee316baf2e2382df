import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { transactionRecord } from '../../src/payment/records/record.ts';
import { accepted, draft, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const CUP = acquirerId('CUP');

/** Version 1 as it was written to terminals: what stands in their files does not change with the code. */
const version1 = `
  CREATE TABLE txn (
    id TEXT PRIMARY KEY, pos_id TEXT NOT NULL, message_id TEXT NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
    acquirer_id TEXT, reversal TEXT CHECK (reversal IN ('queued', 'acknowledged')),
    receipt TEXT CHECK (receipt IN ('queued', 'printed')), UNIQUE (pos_id, message_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX txn_unfinished ON txn (id) WHERE ended = 0;
  CREATE INDEX txn_reversal ON txn (id) WHERE reversal = 'queued';
  CREATE INDEX txn_receipt ON txn (id) WHERE receipt = 'queued';
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, txn_id TEXT NOT NULL REFERENCES txn (id), at TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX event_txn ON event (txn_id, seq);
  CREATE TABLE trace (
    acquirer_id TEXT PRIMARY KEY, stan INTEGER NOT NULL, invoice INTEGER NOT NULL, batch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;`;

const card = `{"brand":"VISA","entryMode":"CONTACTLESS","maskedPan":"************0119","aid":"A0000000031010",
  "appName":"VISA CREDIT","authenticationMethod":"NO_CVM","atc":"","tc":"","tsi":"","tvr":""}`;
const intent = (acquirer: string, number: number, batch: number) =>
  `{"kind":"intent","acquirerId":"${acquirer}","mid":"000000000000001","tid":"00000001",
    "trace":{"stan":${number},"invoice":${number},"batch":${batch}},"card":${card},
    "ksn":"FFFF9876543210E00001","encryptedPan":"C2C2"}`;
const acceptance = (messageId: string) =>
  `{"kind":"accepted","posId":"POS-1","messageId":"${messageId}","digest":"digest of ${messageId}","type":"SALE",
    "amountMinor":"3000","currency":"HKD","shape":"A"}`;
const approved = '{"kind":"approved","responseCode":"00","approvalCode":"123456","rrn":"000000000001"}';
const success = '{"kind":"ended","outcome":"approved","result":"SUCCESS","code":0,"message":""}';

/** Rows as version 1 wrote them: paid and its receipt waiting; two to reverse, the younger queued first; cut off. */
const rows: readonly { columns: string; ordinal: number; bodies: readonly string[] }[] = [
  {
    ordinal: 1,
    columns: "1, 'EDC', NULL, 'queued'",
    bodies: [
      acceptance('M-1'),
      intent('EDC', 1, 4),
      `{"kind":"answered","outcome":${approved}}`,
      success,
      '{"kind":"receiptQueued"}',
    ],
  },
  {
    ordinal: 3,
    columns: "0, 'CUP', 'queued', NULL",
    bodies: [
      acceptance('M-3'),
      intent('CUP', 1, 1),
      '{"kind":"answered","outcome":{"kind":"unknown","reason":"no-answer"}}',
      '{"kind":"reversalQueued","reason":"no-answer"}',
      '{"kind":"reversalSent","attempt":1}',
    ],
  },
  {
    ordinal: 2,
    columns: "0, 'EDC', 'queued', NULL",
    bodies: [
      acceptance('M-2'),
      intent('EDC', 2, 4),
      '{"kind":"answered","outcome":{"kind":"unknown","reason":"no-answer"}}',
      '{"kind":"reversalQueued","reason":"no-answer"}',
    ],
  },
  { ordinal: 4, columns: '0, NULL, NULL, NULL', bodies: [acceptance('M-4')] },
];

let dir: string;
let file: string;
let store: JournalStore;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  file = path.join(dir, 'journal.db');
  const database = new DatabaseSync(file);
  database.exec(version1);
  for (const { ordinal, columns, bodies } of rows) {
    const id = numbered(ordinal);
    database.exec(`INSERT INTO txn VALUES ('${id}', 'POS-1', 'M-${ordinal}', ${columns})`);
    const event = database.prepare("INSERT INTO event (txn_id, at, body) VALUES (?, '2026-01-01T00:00:00.000Z', ?)");
    for (const body of bodies) event.run(id, body);
  }
  database.exec("INSERT INTO trace VALUES ('EDC', 2, 2, 4), ('CUP', 1, 1, 1)");
  database.close();
  store = new JournalStore(file);
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

const bodiesOf = (ordinal: number) => store.read(numbered(ordinal)).map(({ event }) => event);

test('no event is lost, and what was known reads as it did', () => {
  for (const { ordinal, bodies } of rows) {
    const old = bodies.map((body) => JSON.parse(body) as { kind: string; outcome?: { kind: string } });
    const grown = old.map((event) => {
      if (event.kind === 'intent') return { ...event, operation: 'sale' };
      if (event.outcome?.kind !== 'approved') return event;
      return { ...event, outcome: { ...event.outcome, hostTime: '', hostDate: '' } };
    });
    assert.deepEqual(bodiesOf(ordinal), grown);
    assert.equal(store.find('POS-1', `M-${ordinal}`), numbered(ordinal));
    assert.equal(
      transactionRecord(numbered(ordinal), store.read(numbered(ordinal))).request.digest,
      `digest of M-${ordinal}`,
    );
  }
});

test('what was due is still due: receipts, unfinished as they came, reversals in the order in which they were queued', () => {
  assert.deepEqual(store.waitingReceipts(), [{ id: numbered(1), paper: 'receipt' }]);
  assert.deepEqual(store.unfinished(), [3, 2, 4].map(numbered));
  assert.deepEqual(store.pending(), [
    { id: numbered(3), acquirerId: CUP, message: 'reversal' },
    { id: numbered(2), acquirerId: EDC, message: 'reversal' },
  ]);
});

test('the open batch has its transactions, so that they can be settled', () => {
  assert.deepEqual([store.openBatch(EDC), store.openBatch(CUP)], [4, 1]);
  const ids = (acquirer: typeof EDC, batch: number) => store.batchPage(acquirer, batch, '', 10).map(({ id }) => id);
  assert.deepEqual(ids(EDC, 4), [1, 2].map(numbered));
  assert.deepEqual(ids(CUP, 1), [numbered(3)]);
  assert.deepEqual(ids(EDC, 1), []);
});

test('a batch goes on where it stood, numbers elsewhere, and new kinds find their place beside the old rows', () => {
  const id = numbered(5);
  store.open(id, { ...accepted('M-5'), type: 'VOID_SALE', originalId: numbered(1) });
  const trace = store.intend(id, { ...draft(), operation: 'void', invoice: 1 });
  assert.deepEqual([trace.invoice, trace.batch], [1, 4]);
  assert.ok(trace.stan > 3);
  assert.deepEqual(
    store.later(numbered(1)).map((each) => each.id),
    [id],
  );
  assert.deepEqual(store.open(numbered(6), accepted('M-1')), { existing: numbered(1) });
  store.append(numbered(3), [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
  assert.deepEqual(
    store.pending().map((each) => each.id),
    [numbered(2)],
  );
});

test('what waits since version 1 can be set aside, and is told with its batch', () => {
  store.append(numbered(2), [{ kind: 'setAside', outcome: 'NOT_POSTED' }]);
  assert.deepEqual(store.setAside(EDC), [numbered(2)]);
  assert.deepEqual(
    store.pending().map(({ id }) => id),
    [numbered(3)],
  );
  assert.deepEqual([store.setAside(CUP), store.rejectedAdvices(EDC)], [[], []]);
});

test('a second start changes nothing more', () => {
  const before = [1, 2, 3, 4].map(bodiesOf);
  store.close();
  store = new JournalStore(file);
  assert.deepEqual([1, 2, 3, 4].map(bodiesOf), before);
});
