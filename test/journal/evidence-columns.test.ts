import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { array, assert as check, constantFrom, property } from 'fast-check';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { transactionRecord } from '../../src/payment/records/record.ts';
import { accepted, draft, numbered } from './events.ts';

/** What a start finds by columns is what the fold says, after every event of every order of events. */

const EDC = acquirerId('EDC');
const host = { responseCode: '00', rrn: '', hostTime: '', hostDate: '' } as const;
const approved = { kind: 'approved', approvalCode: '', ...host } as const;

const pool: readonly JournalEvent[] = [
  { kind: 'answered', outcome: { kind: 'unknown', reason: 'no-answer' } },
  { kind: 'answered', outcome: approved },
  { kind: 'approvedLate', responseCode: '00', rrn: '' },
  { kind: 'reversalQueued', reason: 'no-answer' },
  { kind: 'reversalSent', attempt: 1 },
  { kind: 'reversalAcknowledged', responseCode: '00' },
  { kind: 'hostRefused', responseCode: '96' },
  { kind: 'setAside', outcome: 'POSTED' },
  { kind: 'setAside', outcome: 'NOT_POSTED' },
  { kind: 'adviceQueued' },
  { kind: 'adviceAnswered', answer: 'acknowledged', ...host },
  { kind: 'adviceAnswered', answer: 'rejected', reason: 'doNotHonour', ...host },
  { kind: 'adviceAnswered', answer: 'rejected', reason: 'doNotHonour', ofRepeat: true, ...host },
  { kind: 'numberTaken' },
  { kind: 'resolved' },
  { kind: 'ended', outcome: 'error', result: 'ERROR', code: 4, message: '' },
];

let dir: string;
let store: JournalStore;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-evidence-'));
  store = new JournalStore(path.join(dir, 'journal.db'));
});
after(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

test('queues, lists and columns agree with the record', () => {
  let count = 0;
  check(
    property(array(constantFrom(...pool), { maxLength: 10 }), (events) => {
      const id = numbered((count += 1));
      store.open(id, accepted(`M-${count}`));
      store.intend(id, draft());
      for (const event of events) {
        const record = transactionRecord(id, store.append(id, [event]));
        const { reversal, advice, setAside } = record;
        const message = store.pending().find((each) => each.id === id)?.message;
        assert.equal(message, reversal === 'queued' ? 'reversal' : advice === 'queued' ? 'advice' : undefined);
        const isRejected = advice === 'rejected' && setAside === undefined;
        assert.equal(store.rejectedAdvices(EDC).includes(id), isRejected);
        assert.equal(store.setAside(EDC).includes(id), setAside !== undefined);
      }
      // What waits for ever must not be met by the next one.
      store.append(id, [{ kind: 'resolved' }]);
      assert.equal(transactionRecord(id, store.read(id)).position, 'resolved');
    }),
    { numRuns: 400 },
  );
});
