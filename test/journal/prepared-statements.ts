import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';

const EDC = acquirerId('EDC');

/** Every statement that a journal prepares in `file` while each of its calls is made once. Pragmas have no plan. */
export function preparedStatements(file: string): string[] {
  const prepared = new Set<string>();
  const prototype: { prepare: DatabaseSync['prepare'] } = DatabaseSync.prototype;
  const { prepare } = prototype;
  prototype.prepare = function noted(this: DatabaseSync, sql: string) {
    prepared.add(sql);
    return prepare.call(this, sql);
  };
  try {
    callEverything(file);
  } finally {
    prototype.prepare = prepare;
  }
  return [...prepared].filter((sql) => !sql.startsWith('PRAGMA'));
}

/** A sale that the bank has confirmed, and a void of it; the host reverses both late. */
function callMatters(store: JournalStore): void {
  const [sale, taken] = [numbered(21), numbered(22)];
  store.open(sale, accepted('M-21'));
  store.open(taken, { ...accepted('M-22'), type: 'VOID_SALE', originalId: sale });
  for (const id of [sale, taken]) {
    store.intend(id, draft());
    store.append(id, [
      { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: '' },
      { kind: 'reversalQueued', reason: 'no-answer' },
      { kind: 'setAside', outcome: 'POSTED' },
      { kind: 'reversalAcknowledged', responseCode: '00' },
      { kind: 'settledWithCustomer', matter: 'reversedLate', who: 'OPERATOR', session: 'one' },
    ]);
  }
}

function callEverything(file: string): void {
  const store = new JournalStore(file);
  const [one, two] = [numbered(1), numbered(2)];
  store.open(one, accepted('M-1'));
  store.intend(one, draft());
  store.intend(one, draft());
  store.intendIfClear(one, draft());
  store.open(two, { ...accepted('M-2'), originalId: one });
  const outcome = { kind: 'declined', reason: 'doNotHonour', responseCode: '05', rrn: '' } as const;
  const conclusion = { outcome: 'declined', result: 'DECLINED', code: 1, message: '' } as const;
  store.append(one, [
    { kind: 'answered', outcome },
    { kind: 'reversalQueued', reason: 'no-answer' },
    { kind: 'reversalAcknowledged', responseCode: '00' },
    { kind: 'adviceQueued' },
    { kind: 'setAside', outcome: 'POSTED' },
    { kind: 'adviceAnswered', answer: 'acknowledged', responseCode: '00', rrn: '', hostTime: '', hostDate: '' },
    { kind: 'receiptQueued' },
    { kind: 'receiptPrinted' },
    { kind: 'numberTaken' },
    { kind: 'resolved' },
    { kind: 'ended', ...conclusion },
  ]);
  const order = { acquirerId: EDC, stan: 1 };
  store.append(two, [{ kind: 'withdrawn' }, { kind: 'orderClosed', ...order }, { kind: 'ended', ...conclusion }]);
  store.append(two, [
    { kind: 'orderLookedAt', ...order },
    { kind: 'orderLookedAt', ...order, isLast: true },
  ]);
  store.append(two, [{ kind: 'fromANewerVersion' } as never, { kind: 'setAside', outcome: 'NOT_POSTED' }]);
  callMatters(store);
  const batch = store.openBatch(EDC);
  const settlement = { id: numbered(3), posId: 'POS-1', messageId: 'S-1', digest: 'd', at: new Date().toISOString() };
  store.openSettlement(settlement);
  store.openSettlement({ ...settlement, id: numbered(7), messageId: 'S-2', merchantId: 'A' });
  const nothing = { count: 0, totalMinor: '0' };
  const total = { currency: 'HKD', sales: nothing, refunds: nothing } as const;
  const close = () => {
    const open = store.openBatch(EDC);
    const closed = { acquirerId: EDC, batch: open, at: settlement.at, totals: [], currencies: [total] };
    assert.equal(store.closeBatch({ ...closed, mark: store.batchMark(EDC, open), mayStayUnknown: false }), 'closed');
    return open;
  };
  close();
  store.markUnsettled(EDC, batch, 'HKD');
  store.askCurrency(EDC, batch, 'HKD', false);
  store.reopenBatch(EDC, batch, { currency: 'HKD', ids: [one] });
  store.recordResult(EDC, batch, 'HKD', 'BALANCED');
  store.recordResult(EDC, batch, 'HKD', 'CONFIRMED');
  const again = close();
  const reported = { acquirerId: EDC, mid: '', tid: '', batch: again, totals: [] };
  store.endSettlement(settlement.id, [{ ...reported, result: 'FAILED', reason: 'silent' }], true);
  const differences = [{ currency: 'HKD', sales: nothing, refunds: nothing }] as const;
  store.endSettlement(settlement.id, [{ ...reported, result: 'UPLOADED', differences }], true);
  store.settleDiscrepancy(1, 'one');
  store.markSettlementPrinted(settlement.id);
  store.allocateStans(EDC, 2);
  store.noteKeyCounter('a key', 64);
  store.keyCounter('a key');
  for (const read of [
    () => store.read(one),
    () => store.read(numbered(9)),
    () => store.later(one),
    () => store.find('POS-1', 'M-1'),
    () => store.unfinished(),
    () => store.findByTrace(EDC, 1),
    () => store.pending(),
    () => store.rejectedAdvices(EDC),
    () => store.discrepancies(),
    () => store.isFromCopy(one),
    () => store.presentBatch(one),
    () => store.closedOrders(),
    () => store.matters(),
    () => store.setAside(EDC),
    () => store.acquirers(),
    () => store.waitingReceipts(),
    () => store.batchPage(EDC, batch, '', 10),
    () => store.changes(0),
    () => store.listSlice({ order: 'newest', limit: 10 }),
    () => store.listSlice({ order: 'oldest', limit: 10 }),
    () => store.listSlice({ order: 'newest', limit: 10, since: new Date(0) }),
    () => store.listSlice({ order: 'oldest', limit: 10, since: new Date(0) }),
    () => store.listSlice({ order: 'newest', limit: 10, since: new Date(0), acquirerId: EDC, batch }),
    () => store.listSlice({ order: 'oldest', limit: 10, since: new Date(0), acquirerId: EDC, batch }),
    () => store.listSlice({ order: 'newest', limit: 10, acquirerId: EDC, batch }),
    () => store.listSlice({ order: 'oldest', limit: 10, acquirerId: EDC, batch }),
    () => store.isSettled(one),
    () => store.settlingBatches(EDC),
    () => store.deniedBatches(EDC),
    () => store.unreadBatches(EDC),
    () => store.settledAt(EDC),
    () => store.writtenAt(),
    () => store.findSettlement('POS-1', 'S-1'),
    () => store.settlementsAfter(one),
    () => store.settlingLater(one, EDC, batch),
    () => store.latestSettlements(5),
    () => store.unfinishedSettlements(),
    () => store.readSettlement(settlement.id),
  ]) {
    read();
  }
  const check = store.check();
  while (!check.slice());
  const { erasing } = store;
  erasing.erase(erasing.find(0).events, new Date(Date.now() + 60_000));
  erasing.emptyLog();
  store.archive(new Date(Date.now() + 60_000), 0, 10);
  erasing.files();
  erasing.renew('', 10);
  erasing.remove('archive-2026-01.jsonl.gz', 0);
  store.archivesPresent();
  store.close();
  // The marker of another one is beside it.
  const other = { journal: 'other', starts: 1, clean: true, sequence: 1 };
  writeFileSync(file.replace('.db', '.state'), JSON.stringify(other));
  new JournalStore(file).close();
}
