import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from './tested-store.ts';
import type { ClosedBatch } from '../../src/payment/events/settling-batch.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import type { JournalledSettlement, SettledBatch } from '../../src/payment/events/settlement.ts';
import { readableRecord, transactionRecord } from '../../src/payment/records/record.ts';
import { accepted, draft, fromOne, numbered } from './events.ts';

const EDC = acquirerId('EDC');
const CUP = acquirerId('CUP');

let dir: string;
let file: string;
let store: JournalStore;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  file = path.join(dir, 'journal.db');
  store = new JournalStore(file, undefined, fromOne);
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function reopen(change?: string): void {
  store.close();
  if (change !== undefined) {
    const database = new DatabaseSync(file);
    database.exec(change);
    database.close();
  }
  store = new JournalStore(file, undefined, fromOne);
}

/** A transaction with an intent, and what follows it. */
function written(ordinal: number, acquirer: string, ...events: readonly JournalEvent[]) {
  store.open(numbered(ordinal), accepted(`M-${ordinal}`));
  return store.intend(numbered(ordinal), draft(acquirer), events);
}

function close(acquirer = EDC, fields: Partial<ClosedBatch> = {}) {
  const batch = store.openBatch(acquirer);
  const none = { count: 0, totalMinor: '0' };
  const currencies = [{ currency: 'HKD', sales: { count: 1, totalMinor: '3000' }, refunds: none }] as const;
  const mark = store.batchMark(acquirer, batch);
  return store.closeBatch({
    acquirerId: acquirer,
    batch,
    at,
    totals,
    currencies,
    mark,
    mayStayUnknown: false,
    ...fields,
  });
}

/** Closed and settled. */
function nextBatch(): void {
  assert.equal(close(EDC, { mayStayUnknown: true }), 'closed');
  store.openSettlement({ ...settlement, id: numbered(90), messageId: 'S-90' });
  store.endSettlement(numbered(90), [result(EDC, 'BALANCED')], false);
}

const at = '2026-01-01T00:00:00.000Z';
const totals = [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }] as const;
const end: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

const reversal: JournalEvent = { kind: 'reversalQueued', reason: 'no-answer' };
const advice: JournalEvent = { kind: 'adviceQueued' };
const adviceAnswer = (answer: 'acknowledged' | 'rejected'): JournalEvent => ({
  kind: 'adviceAnswered',
  answer,
  responseCode: '00',
  rrn: '',
  hostTime: '',
  hostDate: '',
});

test('what waits for a host: reversals and advices in one order, that of their queueing, also after a reopening', () => {
  written(1, 'EDC');
  written(2, 'EDC', advice);
  written(3, 'CUP', advice);
  store.append(numbered(1), [reversal]);
  written(4, 'EDC', advice);
  const all = [
    { id: numbered(2), acquirerId: EDC, message: 'advice' },
    { id: numbered(3), acquirerId: CUP, message: 'advice' },
    { id: numbered(1), acquirerId: EDC, message: 'reversal' },
    { id: numbered(4), acquirerId: EDC, message: 'advice' },
  ];
  assert.deepEqual(store.pending(), all);
  store.append(numbered(2), [{ kind: 'adviceSent', attempt: 1 }]);
  assert.deepEqual(store.pending(), all, 'sent is not answered');
  store.append(numbered(2), [adviceAnswer('acknowledged')]);
  store.append(numbered(4), [adviceAnswer('rejected')]);
  reopen();
  assert.deepEqual(store.pending(), [all[1], all[2]]);
});

for (const outcome of ['POSTED', 'NOT_POSTED'] as const) {
  test(`set aside as ${outcome}: out of the queue in that commit, and told of its batch while that is open`, () => {
    const reported: JournalEvent = { kind: 'setAside', outcome };
    written(1, 'EDC', end);
    written(2, 'EDC', end, advice);
    written(3, 'EDC', end, advice);
    store.append(numbered(1), [reversal, { kind: 'hostRefused', responseCode: '96' }]);
    store.append(numbered(3), [adviceAnswer('rejected')]);
    assert.deepEqual(store.rejectedAdvices(EDC), [numbered(3)]);
    for (const ordinal of [1, 2, 3]) store.append(numbered(ordinal), [reported]);
    reopen();
    assert.deepEqual(store.pending(), []);
    assert.deepEqual(store.rejectedAdvices(EDC), [], 'somebody has looked at it');
    assert.deepEqual(store.setAside(EDC), [1, 2, 3].map(numbered));
    assert.deepEqual(store.setAside(CUP), []);
    // What was on its way while the bank was called: the host's own word.
    store.append(numbered(1), [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
    store.append(numbered(2), [adviceAnswer('acknowledged')]);
    assert.deepEqual(store.setAside(EDC), [numbered(3)]);
    assert.deepEqual(store.pending(), []);
    nextBatch();
    assert.deepEqual(store.setAside(EDC), []);
  });
}

test('what was set aside counts in the batch that is open then, as what became known does', () => {
  written(1, 'EDC', end);
  store.append(numbered(1), [reversal]);
  nextBatch();
  store.append(numbered(1), [{ kind: 'setAside', outcome: 'POSTED' }]);
  const ids = (batch: number) => store.batchPage(EDC, batch, '', 10).map(({ id }) => id);
  assert.deepEqual([ids(1), ids(2)], [[], [numbered(1)]]);
  assert.deepEqual(store.setAside(EDC), [numbered(1)]);
});

test('what came through before it was set aside keeps the word of its host', () => {
  written(1, 'EDC');
  store.append(numbered(1), [reversal, { kind: 'reversalAcknowledged', responseCode: '00' }]);
  store.append(numbered(1), [{ kind: 'setAside', outcome: 'POSTED' }]);
  assert.deepEqual(store.pending(), []);
});

test('an event that is no JSON spoils its own transaction alone, and is kept as it is', () => {
  written(1, 'EDC');
  written(2, 'EDC');
  reopen(`UPDATE event SET body = '{"kind":"acc' WHERE txn_id = '${numbered(1)}' AND seq = 1`);
  const page = store.batchPage(EDC, 1, '', 10);
  assert.deepEqual(
    page.map(({ id, events }) => [id, readableRecord(id, events)?.request.messageId]),
    [
      [numbered(1), undefined],
      [numbered(2), 'M-2'],
    ],
  );
  assert.deepEqual(page[0]?.events[0]?.event, {
    kind: 'unreadable',
    reason: 'one of its events is not JSON',
    body: '{"kind":"acc',
  });
});

test('what a newer version wrote spoils its own transaction alone, in a sentence', () => {
  written(1, 'EDC');
  written(2, 'EDC');
  const newer = '{"format":2,"kind":"ended","outcome":"approved","result":"SUCCESS","code":0,"message":""}';
  reopen(`INSERT INTO event SELECT 99, id, last, '2026-01-01T00:00:00.000Z', '${newer}' FROM txn WHERE id = '${numbered(1)}';
          UPDATE txn SET last = 99 WHERE id = '${numbered(1)}'`);
  assert.throws(() => transactionRecord(numbered(1), store.read(numbered(1))), {
    name: 'UnreadableRecord',
    message: `transaction ${numbered(1)} can't be read: a newer version wrote one of its events: this version reads format 1`,
  });
  assert.equal(transactionRecord(numbered(2), store.read(numbered(2))).conclusion, undefined);
});

test('an intent and the events beside it are one commit', () => {
  store.open(numbered(1), accepted('M-1'));
  const unserialisable = { kind: 'reversalQueued', reason: 1n } as unknown as JournalEvent;
  assert.throws(() => store.intend(numbered(1), draft(), [advice, unserialisable]), TypeError);
  assert.equal(store.read(numbered(1)).length, 1);
  assert.deepEqual(store.pending(), []);
  assert.deepEqual(store.intend(numbered(1), draft(), [advice]), { stan: 1, invoice: 1, batch: 1 });
});

test('what carries the invoice of its original takes no new one', () => {
  assert.equal(written(1, 'EDC').invoice, 1);
  store.open(numbered(2), accepted('M-2'));
  assert.deepEqual(store.intend(numbered(2), { ...draft(), invoice: 1 }), { stan: 2, invoice: 1, batch: 1 });
  const { event } = store.read(numbered(2)).at(-1) ?? assert.fail();
  assert.ok(event.kind === 'intent' && !('invoice' in event));
  assert.deepEqual(written(3, 'EDC'), { stan: 3, invoice: 2, batch: 1 });
});

test('later: what refers to a transaction, in any number of steps, as they came, and nothing else', () => {
  written(1, 'EDC');
  for (const ordinal of [4, 3]) {
    store.open(numbered(ordinal), { ...accepted(`M-${ordinal}`), type: 'REFUND', originalId: numbered(1) });
  }
  store.open(numbered(5), { ...accepted('M-5'), type: 'VOID_REFUND', originalId: numbered(3) });
  written(6, 'EDC');
  const later = store.later(numbered(1));
  assert.deepEqual(
    later.map(({ id }) => id),
    [4, 3, 5].map(numbered),
  );
  assert.deepEqual(later[1]?.events, store.read(numbered(3)));
  assert.deepEqual(
    store.later(numbered(3)).map(({ id }) => id),
    [numbered(5)],
  );
  assert.deepEqual(store.later(numbered(5)), []);
});

test('later: without those that ended before they had an intent', () => {
  written(1, 'EDC');
  for (const ordinal of [2, 3, 4]) {
    store.open(numbered(ordinal), { ...accepted(`M-${ordinal}`), type: 'REFUND', originalId: numbered(1) });
  }
  const cancelled = {
    kind: 'ended',
    outcome: 'error',
    result: 'TRANSACTION_ALREADY_CANCEL',
    code: 6,
    message: '',
  } as const;
  store.append(numbered(2), [cancelled]);
  store.intend(numbered(3), draft('EDC'));
  store.append(numbered(3), [cancelled]);
  assert.deepEqual(
    store.later(numbered(1)).map(({ id }) => id),
    [3, 4].map(numbered),
  );
});

test('a batch in pages: every transaction once, as they came, whatever the size of the page', () => {
  const all = Array.from({ length: 7 }, (_, index) => 7 - index);
  for (const ordinal of all) written(ordinal, 'EDC');
  written(8, 'CUP');
  store.open(numbered(9), accepted('M-9'));
  for (const limit of [1, 2, 3, 7, 100]) {
    const seen: string[] = [];
    for (let page = store.batchPage(EDC, 1, '', limit); page.length > 0; ) {
      assert.ok(page.length <= limit);
      seen.push(...page.map(({ id }) => id));
      page = store.batchPage(EDC, 1, seen.at(-1) ?? '', limit);
    }
    assert.deepEqual(seen, all.map(numbered), `pages of ${limit}`);
  }
  assert.deepEqual(store.batchPage(EDC, 1, '', 1)[0]?.events, store.read(numbered(7)));
});

test('trace numbers in a row: none is given twice, they wrap after 999999 and are kept', () => {
  assert.equal(store.allocateStans(EDC, 3), 1);
  assert.equal(written(1, 'EDC').stan, 4);
  assert.equal(store.allocateStans(CUP, 1), 1);
  reopen();
  assert.equal(store.allocateStans(EDC, 1), 5);
  for (const [stan, count, first, next] of [
    [999_996, 3, 999_997, 1],
    [999_997, 3, 999_998, 2],
    [999_999, 2, 1, 3],
    [0, 999_999, 1, 1],
    [7, 999_999, 8, 8],
  ] as const) {
    reopen(`UPDATE trace SET stan = ${stan} WHERE acquirer_id = 'EDC'`);
    assert.equal(store.allocateStans(EDC, count), first, `${count} after ${stan}`);
    assert.equal(store.allocateStans(EDC, 1), next, `the one after ${count} after ${stan}`);
  }
});

const settlement: JournalledSettlement = {
  id: numbered(100),
  posId: 'POS-1',
  messageId: 'S-1',
  digest: 'd',
  at: '2026-01-01T00:00:00.000Z',
};

function result(
  acquirer: typeof EDC,
  outcome: SettledBatch['result'],
  fields: Partial<SettledBatch> = {},
): SettledBatch {
  return { acquirerId: acquirer, mid: '1', tid: '1', batch: 1, result: outcome, totals, ...fields };
}

test('a settlement has an identity of its own, taken once, which no payment gets', () => {
  assert.deepEqual(store.openSettlement(settlement), {});
  assert.deepEqual(store.openSettlement({ ...settlement, id: numbered(101), digest: 'other' }), {
    existing: settlement,
  });
  assert.deepEqual(store.openSettlement({ ...settlement, id: numbered(102), posId: 'POS-2' }), {});
  assert.deepEqual(store.open(numbered(1), accepted('S-1')), { settlement });
  assert.deepEqual(store.read(numbered(1)), []);
  reopen();
  assert.deepEqual(store.findSettlement('POS-1', 'S-1'), settlement);
  assert.deepEqual(store.readSettlement(numbered(100)), settlement);
  assert.equal(store.findSettlement('POS-1', 'S-2'), undefined);
  assert.equal(store.readSettlement(numbered(101)), undefined);
  assert.deepEqual(
    store.unfinishedSettlements().map(({ id }) => id),
    [numbered(100), numbered(102)],
  );
});

test('a batch is closed in one commit: the next one is open, and what is asked for it is kept', () => {
  written(1, 'EDC', end);
  assert.equal(close(), 'closed');
  reopen();
  assert.deepEqual(written(10, 'EDC'), { stan: 2, invoice: 2, batch: 2 });
  const [kept] = store.settlingBatches(EDC);
  assert.partialDeepStrictEqual(kept, { batch: 1, at, totals, tries: 0, refused: false });
  assert.deepEqual(store.settlingBatches(CUP), []);
  assert.deepEqual(
    store.batchPage(EDC, 1, '', 10).map(({ id }) => id),
    [numbered(1)],
  );
});

for (const [what, change] of [
  ['another came into it', () => written(2, 'EDC', end)],
  ['something was written of it', () => store.append(numbered(1), [{ kind: 'receiptQueued' }])],
  ['something became known', () => store.append(numbered(1), [end, { kind: 'resolved' }])],
] as const) {
  test(`not as it was read, because ${what}: it is not closed`, () => {
    written(1, 'EDC', end);
    const mark = store.batchMark(EDC, 1);
    change();
    assert.equal(close(EDC, { mark }), 'changed');
    assert.equal(store.openBatch(EDC), 1);
    assert.deepEqual(store.settlingBatches(EDC), []);
    assert.equal(close(), 'closed');
    assert.equal(close(EDC, { batch: 1 }), 'changed', 'it is closed already');
  });
}

test('what is unfinished or waits keeps its batch open; what may wait for ever does not', () => {
  written(1, 'EDC');
  assert.equal(close(), 'occupied');
  store.append(numbered(1), [end, reversal]);
  assert.equal(close(), 'occupied');
  assert.equal(close(EDC, { mayStayUnknown: true }), 'closed');
  written(2, 'CUP', advice, end);
  assert.equal(close(CUP), 'occupied');
});

test('each currency keeps its first answer; a batch that was not settled counts in the one that is open', () => {
  written(1, 'EDC', end);
  written(2, 'EDC', end);
  close();
  store.recordResult(EDC, 1, 'HKD', 'UPLOADED');
  store.recordResult(EDC, 1, 'HKD', 'CONFIRMED');
  reopen();
  assert.equal(store.settlingBatches(EDC)[0]?.currencies[0]?.result, 'UPLOADED');
  const ids = (batch: number) => store.batchPage(EDC, batch, '', 10).map(({ id }) => id);
  store.reopenBatch(EDC, 1);
  assert.deepEqual([ids(1), ids(2)], [[], [1, 2].map(numbered)]);
  assert.deepEqual(store.settlingBatches(EDC), []);
});

test('of one currency that was not settled the rest waits on, with its answers', () => {
  const hkd = {
    currency: 'HKD',
    sales: { count: 1, totalMinor: '1' },
    refunds: { count: 0, totalMinor: '0' },
  } as const;
  const ids = (batch: number) => store.batchPage(EDC, batch, '', 10).map(({ id }) => id);
  for (const ordinal of [1, 2, 3]) written(ordinal, 'EDC', end);
  const jpy = { ...totals[0], currency: 'JPY' } as const;
  close(EDC, { totals: [...totals, jpy], currencies: [hkd, { ...hkd, currency: 'JPY' }, { ...hkd, currency: 'USD' }] });
  store.recordResult(EDC, 1, 'HKD', 'CONFIRMED');
  store.reopenBatch(EDC, 1, { currency: 'JPY', ids: [numbered(2)] });
  reopen();
  assert.deepEqual([ids(1), ids(2)], [[1, 3].map(numbered), [numbered(2)]]);
  const [kept] = store.settlingBatches(EDC);
  assert.deepEqual(kept?.totals, totals);
  assert.deepEqual(
    kept?.currencies.map(({ currency, result: answer }) => [currency, answer]),
    [
      ['HKD', 'CONFIRMED'],
      ['USD', undefined],
    ],
  );
});

test('the end of a settlement lets go of what was settled, and says of the rest why it waits', () => {
  const acquirers = ['EDC', 'CUP', 'A'].map(acquirerId);
  for (const [ordinal, acquirer] of acquirers.entries()) {
    written(ordinal + 1, acquirer, end);
    close(acquirer);
  }
  store.openSettlement(settlement);
  const results = [
    result(EDC, 'BALANCED'),
    result(CUP, 'FAILED', { reason: 'the host refused the settlement (code 12)', refused: true }),
    result(acquirerId('A'), 'UPLOADED'),
  ];
  store.endSettlement(settlement.id, results, true);
  reopen();
  assert.deepEqual(
    acquirers.map((each) => [store.openBatch(each), store.settlingBatches(each).length]),
    [
      [2, 0],
      [2, 1],
      [2, 0],
    ],
  );
  assert.partialDeepStrictEqual(store.settlingBatches(CUP)[0], {
    tries: 1,
    refused: true,
    reason: 'the host refused the settlement (code 12)',
  });
  assert.deepEqual(
    acquirers.map((each) => store.settledAt(each) !== undefined),
    [true, false, true],
  );
  assert.deepEqual(store.findSettlement('POS-1', 'S-1'), { ...settlement, results });
  assert.deepEqual(store.waitingReceipts(), [{ id: settlement.id, paper: 'settlement' }]);
  store.markSettlementPrinted(settlement.id);
  assert.deepEqual(store.waitingReceipts(), []);
});

test('an end that can not be written lets go of no batch and leaves no result: one commit', () => {
  written(1, 'EDC', end);
  close();
  store.openSettlement(settlement);
  const unwritable = { ...result(CUP, 'BALANCED'), acquirerId: {} as unknown as typeof CUP };
  assert.throws(() => store.endSettlement(settlement.id, [result(EDC, 'BALANCED'), unwritable], true));
  reopen();
  assert.equal(store.settlingBatches(EDC).length, 1);
  assert.deepEqual(store.findSettlement('POS-1', 'S-1'), settlement);
  assert.deepEqual(store.waitingReceipts(), []);
});

test('after batch 999999 comes 1', () => {
  reopen("INSERT INTO trace (acquirer_id, stan, invoice, batch) VALUES ('EDC', 0, 0, 999999)");
  written(1, 'EDC', end);
  assert.equal(close(), 'closed');
  assert.equal(store.openBatch(EDC), 1);
});

test('batch 1 of the second round has nothing of the first one', () => {
  written(1, 'EDC', end, reversal);
  written(2, 'EDC', end, adviceAnswer('rejected'));
  store.append(numbered(1), [{ kind: 'setAside', outcome: 'POSTED' }]);
  assert.equal(store.isSettled(numbered(1)), false);
  nextBatch();
  assert.equal(store.isSettled(numbered(1)), true);
  reopen('UPDATE trace SET batch = 999999');
  assert.equal(close(), 'closed');
  assert.equal(store.openBatch(EDC), 1);
  const first = written(3, 'EDC', end, adviceAnswer('rejected'));
  assert.equal(first.batch, 1);
  reopen();
  const ids = (batch: number) => store.batchPage(EDC, batch, '', 10).map(({ id }) => id);
  assert.deepEqual([ids(1), ids(2), ids(999_999)], [[numbered(3)], [], []]);
  // Nobody has decided on the other yet, whatever its batch.
  assert.deepEqual([store.rejectedAdvices(EDC), store.setAside(EDC)], [[2, 3].map(numbered), []]);
  assert.deepEqual(
    [1, 2, 3].map((ordinal) => store.isSettled(numbered(ordinal))),
    [true, true, false],
  );
  store.endSettlement(settlement.id, [result(EDC, 'BALANCED', { batch: 999_999 })], false);
  nextBatch();
  assert.deepEqual([store.openBatch(EDC), ids(1), ids(2)], [2, [numbered(3)], []]);
  store.endSettlement(settlement.id, [result(EDC, 'BALANCED', { batch: 1 })], false);
  assert.deepEqual(store.settlingBatches(EDC), [], 'by its number, which has begun again');
});

test('a batch, its voids and what a restart finds are in the order in which they came, whatever the clock said then', () => {
  // Ids carry the time: the second was given out by a clock that had been set back.
  written(7, 'EDC');
  written(3, 'EDC');
  store.open(numbered(9), { ...accepted('M-9'), originalId: numbered(7) });
  store.open(numbered(1), { ...accepted('M-1'), originalId: numbered(7) });
  for (const again of [false, true]) {
    if (again) reopen();
    assert.deepEqual(
      store.batchPage(EDC, 1, '', 10).map(({ id }) => id),
      [7, 3].map(numbered),
    );
    assert.deepEqual(
      store.batchPage(EDC, 1, numbered(7), 10).map(({ id }) => id),
      [numbered(3)],
    );
    assert.deepEqual(store.batchPage(EDC, 1, numbered(3), 10), []);
    assert.deepEqual(store.unfinished(), [7, 3, 9, 1].map(numbered));
    assert.deepEqual(
      store.later(numbered(7)).map(({ id }) => id),
      [9, 1].map(numbered),
    );
  }
});
