import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declinedTry } from '../../../src/payment/method/unmatched-approval.ts';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import { answered, endedCancelled, outcomes, record, reversalQueued } from '../records/records.ts';
import { accepted, intent } from '../../support/events.ts';

const late = { acquirerId: intent.acquirerId, stan: String(intent.trace.stan) } as LateAnswer;
const declined = [accepted, intent, answered(outcomes.declined)];

test('a declined try that another may follow is told apart from the payment', () => {
  assert.deepEqual(declinedTry(record(declined), late), intent);
});

test('a try that its host could not decide is the payment’s own end: it is reversed already, and once', () => {
  assert.equal(declinedTry(record([...declined, reversalQueued]), late), undefined);
});

test('a payment that has ended, and another number, are no such try', () => {
  assert.equal(declinedTry(record([...declined, endedCancelled]), late), undefined);
  assert.equal(declinedTry(record(declined), { ...late, stan: '999999' }), undefined);
});
