import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import {
  mayBePosted,
  readableRecord,
  transactionRecord,
  UnreadableRecord,
} from '../../../src/payment/records/record.ts';
import {
  answered,
  ended,
  endedApproved,
  endedCancelled,
  endedUnknown,
  hostRefused,
  id,
  notPosted,
  outcomes,
  posted,
  record,
  reversalAcknowledged,
  reversalQueued,
  reversalSent,
  stored,
} from './records.ts';
import { accepted, cash, chip, eps, intent, octopus, wallet } from '../../support/events.ts';

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

const withdrawn: JournalEvent = { kind: 'withdrawn' };
const resolved: JournalEvent = { kind: 'resolved' };
const unknownYet = ended(failure('UNKNOWN', 'outcomeUnknown', 'not known yet'));
const wrongPin = answered({ kind: 'declined', reason: 'wrongPin', responseCode: '55', rrn: '' });

test('what was withdrawn is gone: nothing is posted, and another way to pay may follow', () => {
  const gone = record([accepted, wallet, withdrawn]);
  assert.deepEqual([gone.intent, gone.intentAt, gone.hostOutcome], [undefined, undefined, undefined]);
  assert.equal(mayBePosted(gone), false);
  assert.equal(financialImpact(gone), 'NONE');
  assert.equal(financialImpact(record([accepted, wallet, withdrawn, endedCancelled])), 'NONE');
  const next = record([accepted, wallet, withdrawn, cash, answered(outcomes.approved), endedApproved]);
  assert.deepEqual(next.intent, cash);
  assert.equal(next.conclusion?.result, 'SUCCESS');
  assert.equal(financialImpact(record([accepted, wallet, withdrawn, intent])), 'REVERSAL_PENDING');
});

test('an answer belongs to the intent before it: the next intent has none yet', () => {
  const again = { ...eps, trace: { ...eps.trace, stan: 2 } };
  const tried = record([accepted, eps, wrongPin]);
  assert.equal(financialImpact(tried), 'NONE');
  const asked = record([accepted, eps, wrongPin, again]);
  assert.deepEqual(asked.intent, again);
  assert.equal(asked.hostOutcome, undefined);
  assert.equal(mayBePosted(asked), true, 'the second one may be posted, whatever was said of the first');
  assert.equal(financialImpact(asked), 'REVERSAL_PENDING');
  const paid = record([accepted, eps, wrongPin, again, answered(outcomes.approved), endedApproved]);
  assert.equal(mayBePosted(paid), false);
  const [first, ...rest] = stored([accepted, eps, wrongPin, again]);
  assert.ok(first);
  const times = rest.map((event, index) => ({ ...event, at: `2026-01-01T00:00:0${index + 1}.000Z` }));
  assert.deepEqual(transactionRecord(id, [first, ...times]).intentAt, new Date('2026-01-01T00:00:03.000Z'));
});

test('what was resolved is told as it came out, and waits for nothing', () => {
  const waiting = [accepted, octopus, answered(outcomes.unknown), reversalQueued, unknownYet];
  assert.equal(financialImpact(record(waiting)), 'UNKNOWN');
  assert.equal(record(waiting).reversal, 'queued');
  const paid = record([...waiting, answered(outcomes.approved), endedApproved, { kind: 'receiptQueued' }, resolved]);
  assert.equal(paid.reversal, undefined);
  assert.equal(paid.conclusion?.result, 'SUCCESS');
  assert.deepEqual(paid.hostOutcome, outcomes.approved);
  assert.equal(financialImpact(paid), 'NONE');
  const nothing = ended(failure('ERROR', 'noAnswer', 'nothing was deducted'));
  const none = record([...waiting, answered(outcomes.notSent), nothing, resolved]);
  assert.equal(none.conclusion?.result, 'ERROR');
  assert.equal(financialImpact(none), 'NONE');
});

test('an end that was on its way while it became known changes nothing', () => {
  const known = [accepted, octopus, answered(outcomes.unknown), reversalQueued, answered(outcomes.approved)];
  const late = record([...known, endedApproved, resolved, unknownYet]);
  assert.equal(late.conclusion?.result, 'SUCCESS');
});

for (const [what, sent, impact] of [
  ['a deduction', octopus, 'UNKNOWN'],
  ['a refund that is taken back', { ...wallet, operation: 'voidRefund' }, 'UNKNOWN'],
  ['a wallet’s sale', wallet, 'REVERSAL_PENDING'],
  ['a wallet’s refund', { ...wallet, operation: 'refund' }, 'REVERSAL_PENDING'],
  ['a card’s sale', intent, 'REVERSAL_PENDING'],
] as const) {
  test(`${what} whose answer could not be written is told as ${impact}, whatever the end says`, () => {
    assert.equal(financialImpact(record([accepted, sent])), impact);
    const unwritten = ended(failure('DATABASE_ERROR', 'answerNotWritten', 'the answer could not be written'));
    assert.equal(financialImpact(record([accepted, sent, unwritten])), impact);
    assert.equal(financialImpact(record([accepted, sent, answered(outcomes.declined), unwritten])), 'NONE');
    assert.equal(financialImpact(record([accepted, sent, answered(outcomes.notSent), unwritten])), 'NONE');
  });
}

test('a chip’s last word is kept, and approved by the host alone is approved by nobody', () => {
  const last: JournalEvent = { kind: 'cardCompleted', agreed: true, emv: { '9F27': '40' } };
  const held = [accepted, chip, answered(outcomes.approved)];
  assert.equal(financialImpact(record(held)), 'REVERSAL_PENDING');
  const agreed = record([...held, last, endedApproved]);
  assert.deepEqual(agreed.cardCompletion, last);
  assert.equal(mayBePosted(agreed), false);
  const refused = record([
    ...held,
    { ...last, agreed: false },
    reversalQueued,
    ended(failure('DECLINED', 'refusedByCardAfterApproval', 'refused')),
  ]);
  assert.equal(refused.cardCompletion?.agreed, false);
  assert.equal(financialImpact(refused), 'REVERSAL_PENDING');
});

const refused = [accepted, intent, answered(outcomes.unknown), reversalQueued, reversalSent(1), hostRefused];

test('the host’s last refusal is kept, and changes nothing of where the money stands', () => {
  assert.equal(record(refused.slice(0, 5)).refusedWith, undefined);
  assert.equal(record(refused).refusedWith, '96');
  assert.equal(record([...refused, { kind: 'hostRefused', responseCode: '91' }]).refusedWith, '91');
  assert.equal(financialImpact(record(refused)), 'REVERSAL_PENDING');
});

test('set aside as not posted is told as reversed; as posted it stands at the host, whatever was told', () => {
  for (const end of [[], [endedUnknown], [endedCancelled]]) {
    const none = record([...refused, ...end, notPosted]);
    assert.deepEqual([none.reversal, none.setAside, financialImpact(none)], ['setAside', 'NOT_POSTED', 'REVERSED']);
    const stays = record([...refused, ...end, posted]);
    assert.deepEqual([stays.reversal, stays.setAside, financialImpact(stays)], ['setAside', 'POSTED', 'UNKNOWN']);
    assert.notEqual(stays.conclusion?.result, 'SUCCESS');
  }
});

test('a deduction that was set aside is told as the bank says, too', () => {
  const waiting = [accepted, octopus, answered(outcomes.unknown), reversalQueued, unknownYet];
  assert.equal(financialImpact(record([...waiting, notPosted])), 'REVERSED');
  assert.equal(financialImpact(record([...waiting, posted])), 'UNKNOWN');
});

test('the host’s own word stands over that of the telephone, whichever came first', () => {
  for (const reported of [posted, notPosted]) {
    for (const events of [
      [...refused, reported, reversalAcknowledged],
      [...refused, reversalAcknowledged, reported],
    ]) {
      const { reversal, setAside } = record(events);
      assert.deepEqual([reversal, setAside], ['acknowledged', undefined]);
    }
    const known = record([...refused, reported, answered(outcomes.approved), endedApproved, resolved]);
    assert.deepEqual([known.reversal, known.setAside, financialImpact(known)], [undefined, undefined, 'NONE']);
  }
});

test('an advice that was set aside is as the bank says, be it rejected or still queued', () => {
  const offline = { ...intent, operation: 'offlineSale' } as const;
  const queued = [accepted, offline, answered(outcomes.offline), { kind: 'adviceQueued' } as const, endedApproved];
  const word = (answer: 'acknowledged' | 'rejected'): JournalEvent => ({
    kind: 'adviceAnswered',
    answer,
    responseCode: '05',
    rrn: '',
    hostTime: '',
    hostDate: '',
  });
  for (const events of [queued, [...queued, word('rejected')]]) {
    assert.deepEqual(
      [record([...events, posted]).advice, record([...events, posted]).setAside],
      ['acknowledged', 'POSTED'],
    );
    assert.deepEqual(
      [record([...events, notPosted]).advice, record([...events, notPosted]).setAside],
      ['rejected', 'NOT_POSTED'],
    );
  }
  const through = record([...queued, word('acknowledged'), notPosted]);
  assert.deepEqual([through.advice, through.setAside], ['acknowledged', undefined]);
  const late = record([...queued, notPosted, word('acknowledged')]);
  assert.deepEqual([late.advice, late.setAside], ['acknowledged', undefined]);
});

test('what can’t be read is told by its own name, and never as something else', () => {
  const unknown = { kind: 'fromTheFuture' } as unknown as JournalEvent;
  for (const events of [
    [unknown],
    [null as unknown as JournalEvent],
    [accepted, unknown],
    [accepted, null as unknown as JournalEvent],
    [{ ...accepted, amountMinor: 'x' }],
    [accepted, intent, { kind: 'answered' } as unknown as JournalEvent, unknown, reversalQueued],
  ]) {
    assert.throws(() => record(events), UnreadableRecord);
    assert.equal(readableRecord(id, stored(events)), undefined);
  }
  assert.deepEqual(readableRecord(id, stored(refused)), record(refused));
});
