import assert from 'node:assert/strict';
import { test } from 'node:test';
import { financialImpact, transactionRecord } from '../../src/transaction/record.ts';
import {
  accepted,
  answered,
  endedApproved,
  endedUnknown,
  id,
  intent,
  outcomes,
  record,
  reversalAcknowledged,
  reversalQueued,
  reversalSent,
  stored,
} from './records.ts';

test('a record is the fold of its events', () => {
  const folded = record([accepted, intent, answered(outcomes.approved), endedApproved, { kind: 'receiptQueued' }]);
  assert.equal(folded.id, id);
  assert.deepEqual(folded.createdAt, new Date('2026-01-01T00:00:00.000Z'));
  assert.deepEqual(folded.request, accepted);
  assert.deepEqual(folded.amount, { minor: 3000n, currency: 'HKD' });
  assert.deepEqual(folded.intent, intent);
  assert.deepEqual(folded.hostOutcome, outcomes.approved);
  assert.equal(folded.conclusion?.result, 'SUCCESS');
  assert.equal(folded.reversal, undefined);
  assert.equal(folded.reversalAttempts, 0);
});

test('the time is that of the acceptance', () => {
  const [first, ...rest] = stored([accepted, intent]);
  assert.ok(first);
  const later = rest.map((event) => ({ ...event, at: '2027-01-01T00:00:00.000Z' }));
  assert.deepEqual(transactionRecord(id, [first, ...later]).createdAt, new Date(first.at));
});

test('attempts of a reversal are counted as they were written', () => {
  const events = [accepted, intent, answered(outcomes.unknown), reversalQueued, reversalSent(1), reversalSent(2)];
  assert.equal(record(events).reversalAttempts, 2);
  assert.equal(record(events).reversal, 'queued');
  assert.equal(record([...events, reversalAcknowledged]).reversal, 'acknowledged');
});

test('the end is told as it stands, whether the reversal is through before or after it', () => {
  const through = [accepted, intent, answered(outcomes.unknown), reversalQueued, reversalSent(1), reversalAcknowledged];
  assert.equal(financialImpact(record([...through, endedUnknown])), 'REVERSED');
  assert.equal(financialImpact(record(through.toSpliced(4, 0, endedUnknown))), 'REVERSED');
  assert.equal(financialImpact(record(through.slice(0, 5))), 'REVERSAL_PENDING');
});

test('a journal without its acceptance, or with two, is refused', () => {
  assert.throws(() => transactionRecord(id, []), /does not start/);
  assert.throws(() => transactionRecord(id, stored([intent])), /does not start/);
  assert.throws(() => record([accepted, accepted]), /two acceptances/);
});

test('money that may have moved is never told as NONE', () => {
  assert.equal(financialImpact(record([accepted])), 'NONE');
  assert.equal(financialImpact(record([accepted, intent])), 'REVERSAL_PENDING');
  assert.equal(financialImpact(record([accepted, intent, answered(outcomes.unknown)])), 'REVERSAL_PENDING');
  assert.equal(financialImpact(record([accepted, intent, answered(outcomes.approved)])), 'REVERSAL_PENDING');
  assert.equal(financialImpact(record([accepted, intent, answered(outcomes.declined)])), 'NONE');
  assert.equal(financialImpact(record([accepted, intent, answered(outcomes.notSent)])), 'NONE');
});
