import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { transactionRecord } from '../../src/payment/records/record.ts';
import { seededMessage, seedJournal } from './seeded-journal.ts';

const EDC = acquirerId('EDC');
let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-seeded-'));
});
after(() => rmSync(dir, { recursive: true }));

test('a seeded journal is as the terminal would have left it', () => {
  const file = path.join(dir, 'journal.db');
  seedJournal(file, { settled: 25, salesPerBatch: 10, open: 7 });
  seedJournal(file, { settled: 0, salesPerBatch: 10, open: 3 }, 32);
  const store = new JournalStore(file);
  assert.equal(store.life.checkReport.state, 'ok');
  const check = store.check();
  while (!check.slice());
  assert.deepEqual([check.checked, check.unreadable], [35 + 4 * 35 + 3 + 3, 0]);
  assert.deepEqual(store.unfinished(), []);
  assert.deepEqual(store.settlingBatches(EDC), []);
  assert.deepEqual(
    store.latestSettlements(5).map(({ results }) => results?.[0]?.totals[0]?.count),
    [5, 10, 10],
  );
  assert.equal(store.batchPage(EDC, store.openBatch(EDC), '', 50).length, 10);
  const id = store.find('POS-1', seededMessage(1)) ?? assert.fail('the first is not there');
  const record = transactionRecord(id, store.read(id));
  assert.equal(record.conclusion?.result, 'SUCCESS');
  assert.equal(store.isSettled(id), true);
  assert.equal(store.find('POS-1', seededMessage(36)), undefined);
  store.close();
});
