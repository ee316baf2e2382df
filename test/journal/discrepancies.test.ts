import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId, terminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { SettledBatch } from '../../src/payment/events/settlement.ts';
import { accepted, draft, numbered } from './events.ts';

/** On a version that is on trial the journal has no table of differences: they are there once it is accepted. */

const EDC = acquirerId('EDC');
const now = new Date('2026-01-05T10:00:00.000Z');
const conclusion = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-discrepancies-'));
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

const opened = (isOnTrial: boolean) => new JournalStore(file, () => now, undefined, { isOnTrial });

function sell(store: JournalStore, ordinal: number): void {
  store.open(numbered(ordinal), accepted(`M-${ordinal}`));
  store.intend(numbered(ordinal), draft());
  store.append(numbered(ordinal), [conclusion]);
}

test('a difference of a settlement is listed after the migration, once', () => {
  const trial = opened(true);
  const id = terminalTransactionId(now, new Uint8Array(10));
  trial.openSettlement({ id, posId: 'POS-1', messageId: 'S-1', digest: 's', at: now.toISOString() });
  const sums = { sales: { count: 2, totalMinor: '2200' }, refunds: { count: 0, totalMinor: '0' } };
  const result: SettledBatch = {
    acquirerId: EDC,
    mid: '',
    tid: '',
    batch: 7,
    result: 'UPLOADED',
    totals: [],
    differences: [{ currency: 'HKD', ...sums }],
  };
  trial.endSettlement(id, [result], false);
  assert.deepEqual(trial.discrepancies(), []);
  trial.close();
  for (let starts = 0; starts < 2; starts++) {
    const store = opened(false);
    const [found, ...others] = store.discrepancies();
    assert.partialDeepStrictEqual(found, { kind: 'booksDiffer', acquirerId: EDC, batch: 7, currency: 'HKD', ...sums });
    assert.deepEqual(others, []);
    store.close();
  }
});

test('a copy that is put back is known at once, can be settled later, and is kept while its batch waits', () => {
  const copy = path.join(dir, 'copy.db');
  const first = opened(true);
  sell(first, 1);
  first.close();
  copyFileSync(file, copy);
  const later = opened(true);
  sell(later, 2);
  later.close();
  copyFileSync(copy, file);
  const trial = opened(true);
  assert.partialDeepStrictEqual(trial.discrepancies(), [{ kind: 'journalRestored', number: 0 }]);
  assert.deepEqual([trial.isFromCopy(numbered(1)), trial.settleDiscrepancy(0, 'session')], [true, false]);
  sell(trial, 3);
  trial.close();
  const store = opened(false);
  const { number } = store.discrepancies()[0] ?? assert.fail('not listed');
  assert.deepEqual(
    [1, 3].map((ordinal) => store.isFromCopy(numbered(ordinal))),
    [true, false],
  );
  assert.deepEqual([store.settleDiscrepancy(number, 'session'), store.findCopy()], [true, undefined]);
  assert.equal(store.settleDiscrepancy(number, 'session'), false);
  store.close();
});
