import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { canBeReversed } from '../../../src/payment/records/payment.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { recoveryEvents, reversalDue } from '../../../src/payment/transaction/recover.ts';
import {
  answered,
  ended,
  endedApproved,
  endedCancelled,
  endedUnknown,
  hostRefused,
  notPosted,
  outcomes,
  posted,
  record,
  reversalAcknowledged,
  reversalQueued,
  reversalSent,
} from '../records/records.ts';
import { accepted, cash, chip, eps, intent, octopus, wallet } from '../../support/events.ts';

/**
 * Every whole life of a transaction, event by event. Commits of several events are cut in the middle here as well: what
 * holds for every prefix does not hang on which events travel in one commit.
 */
const reversalLives: readonly (readonly JournalEvent[])[] = [
  [],
  [reversalSent(1)],
  [reversalSent(1), reversalSent(2)],
  [reversalSent(1), reversalAcknowledged],
  [reversalSent(1), reversalSent(2), reversalAcknowledged],
  [reversalSent(1), hostRefused, reversalSent(2), hostRefused, reversalAcknowledged],
  ...[posted, notPosted].flatMap((reported) => [
    [reversalSent(1), hostRefused, reported],
    // Its acknowledgement was on its way while the bank was called, or the other way round.
    [reversalSent(1), hostRefused, reported, reversalAcknowledged],
    [reversalSent(1), reversalAcknowledged, reported],
  ]),
];

const lives: readonly (readonly JournalEvent[])[] = [
  [accepted, endedCancelled],
  [accepted, answered(outcomes.notSent), ended(conclusionOf(outcomes.notSent))],
  [accepted, intent, answered(outcomes.notSent), ended(conclusionOf(outcomes.notSent))],
  [accepted, intent, answered(outcomes.declined), ended(conclusionOf(outcomes.declined))],
  [accepted, intent, answered(outcomes.approved), endedApproved, { kind: 'receiptQueued' }, { kind: 'receiptPrinted' }],
  // The end of an unknown outcome may come at any place among the events of its reversal.
  ...reversalLives.flatMap((reversal) =>
    Array.from({ length: reversal.length + 1 }, (_, place) => [
      accepted,
      intent,
      answered(outcomes.unknown),
      reversalQueued,
      ...reversal.toSpliced(place, 0, endedUnknown),
    ]),
  ),
  // The answer could not be written, whatever it was; the end could.
  [accepted, intent, ended(failure('DATABASE_ERROR', 'answerNotWritten', 'the answer could not be written'))],
  [
    accepted,
    intent,
    answered(outcomes.approved),
    ended(failure('DATABASE_ERROR', 'answerNotWritten', 'the answer came too late')),
  ],
];

const withdrawn: JournalEvent = { kind: 'withdrawn' };
const resolved: JournalEvent = { kind: 'resolved' };
const wrongPin = answered({ kind: 'declined', reason: 'wrongPin', responseCode: '55', rrn: '' });
const cardsWord = (agreed: boolean): JournalEvent => ({ kind: 'cardCompleted', agreed, emv: {} });
const offlineSale = { ...intent, operation: 'offlineSale' } as const;
const adviceQueued: JournalEvent = { kind: 'adviceQueued' };
const adviceRejected: JournalEvent = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  responseCode: '05',
  rrn: '',
  hostTime: '',
  hostDate: '',
};
const endedOffline = ended(conclusionOf(outcomes.offline));
const notKnown = ended(failure('UNKNOWN', 'outcomeUnknown', 'not known yet'));

/** Likewise, of the other methods: several intents, a code that is withdrawn, a chip's last word, what is found out. */
const methodLives: readonly (readonly JournalEvent[])[] = [
  [accepted, cash, answered(outcomes.approved), endedApproved],
  [accepted, wallet, answered(outcomes.approved), endedApproved],
  [accepted, wallet, withdrawn, wallet, withdrawn, endedCancelled],
  [accepted, wallet, withdrawn, octopus, withdrawn, intent, answered(outcomes.approved), endedApproved],
  [accepted, wallet, withdrawn, cash, answered(outcomes.approved), endedApproved],
  [accepted, eps, wrongPin, eps, wrongPin, eps, answered(outcomes.approved), endedApproved],
  [accepted, eps, wrongPin, wallet, withdrawn, endedCancelled],
  [accepted, eps, wrongPin, eps, answered(outcomes.unknown), reversalQueued, reversalSent(1), reversalAcknowledged],
  [accepted, chip, answered(outcomes.approved), cardsWord(true), endedApproved],
  [accepted, chip, answered(outcomes.approved), cardsWord(false), reversalQueued, endedUnknown, reversalAcknowledged],
  [accepted, octopus, answered(outcomes.approved), endedApproved],
  [accepted, octopus, answered(outcomes.unknown), reversalQueued, notKnown, reversalSent(1)],
  [accepted, octopus, answered(outcomes.unknown), reversalQueued, notKnown, reversalSent(1), posted],
  [accepted, wallet, answered(outcomes.unknown), reversalQueued, endedUnknown, reversalSent(1), notPosted],
];

/** What is approved here is one commit: nothing is cut off before its end. */
const approvedHere = [accepted, offlineSale, answered(outcomes.offline), adviceQueued, endedOffline];
const adviceLives: readonly (readonly JournalEvent[])[] = [
  [hostRefused, posted],
  [hostRefused, notPosted],
  [adviceRejected, posted],
  [adviceRejected, notPosted],
];

const prefixes = [
  ...[...lives, ...methodLives].flatMap((life) => life.map((_, last) => life.slice(0, last + 1))),
  ...adviceLives.flatMap((life) => [0, 1, 2].map((count) => [...approvedHere, ...life.slice(0, count)])),
];

function named(events: readonly JournalEvent[]): string {
  const word = (event: JournalEvent) => {
    if (event.kind === 'answered') return event.outcome.kind;
    if (event.kind === 'setAside') return event.outcome;
    return event.kind === 'ended' ? `ended:${event.result}` : event.kind;
  };
  return events.map(word).join(' ');
}

test('there are lives to recover', () => {
  assert.ok(prefixes.length > 50);
});

for (const events of new Map(prefixes.map((prefix) => [named(prefix), prefix])).values()) {
  test(`cut after: ${named(events)}`, () => {
    const cut = record(events);
    const repair = recoveryEvents(cut);
    const whole = [...events, ...repair];
    const after = record(whole);

    const mayBePosted =
      cut.intent !== undefined &&
      cut.intent.operation !== 'offlineSale' &&
      cut.hostOutcome?.kind !== 'declined' &&
      cut.hostOutcome?.kind !== 'notSent' &&
      !(cut.hostOutcome?.kind === 'approved' && cut.conclusion?.outcome === 'approved');
    const queued = whole.filter(({ kind }) => kind === 'reversalQueued').length;
    assert.equal(queued, mayBePosted ? 1 : 0);
    assert.equal(whole.filter(({ kind }) => kind === 'ended').length, 1);
    const last = whole.slice(whole.findLastIndex(({ kind }) => kind === 'intent') + 1);
    assert.ok(last.filter(({ kind }) => kind === 'answered').length <= 1);
    assert.deepEqual(after.conclusion, cut.conclusion ?? after.conclusion, 'an end stays as it was told');
    assert.notEqual(
      cut.conclusion === undefined && after.conclusion?.result,
      'SUCCESS',
      'recovery never makes a success',
    );
    if (cut.reversal === 'setAside') {
      // What the bank has said stays said.
      assert.equal(financialImpact(after), cut.setAside === 'POSTED' ? 'UNKNOWN' : 'REVERSED');
      assert.deepEqual([after.reversal, after.setAside], [cut.reversal, cut.setAside]);
      assert.deepEqual(recoveryEvents(after), []);
      return;
    }
    const undoable = cut.intent !== undefined && canBeReversed(cut.intent);
    const pending = undoable ? 'REVERSAL_PENDING' : 'UNKNOWN';
    assert.equal(
      after.conclusion?.result === 'SUCCESS' ? 'NONE' : financialImpact(after),
      mayBePosted ? (cut.reversal === 'acknowledged' ? 'REVERSED' : pending) : 'NONE',
    );
    if (mayBePosted && !undoable) assert.equal(after.conclusion?.result, 'UNKNOWN');
    assert.deepEqual(recoveryEvents(after), [], 'a second recovery changes nothing more');
    assert.deepEqual(reversalDue(after, 'again'), []);
  });
}

test('the host said no, the end was cut off: it ends as the host said', () => {
  const [end, ...more] = recoveryEvents(record([accepted, intent, answered(outcomes.declined)]));
  assert.deepEqual(end, ended(conclusionOf(outcomes.declined)));
  assert.deepEqual(more, []);
});

test('an end that was told already is written as it was told, but never as a success', () => {
  const reported = failure('TIMEOUT', 'customerTimeout', 'no card was presented in time');
  assert.deepEqual(recoveryEvents(record([accepted]), reported), [ended(reported)]);
  const [, , end] = recoveryEvents(
    record([accepted, intent]),
    failure('DATABASE_ERROR', 'answerNotWritten', 'unwritten'),
  );
  assert.deepEqual(end, ended(failure('DATABASE_ERROR', 'answerNotWritten', 'unwritten')));
  const success = conclusionOf(outcomes.approved);
  for (const events of [[accepted], [accepted, intent]]) {
    const last = recoveryEvents(record(events), success).at(-1);
    assert.equal(last?.kind === 'ended' && last.result, 'ERROR');
  }
});

test('what can’t be reversed is never told as reversed: it is found out', () => {
  for (const sent of [octopus, { ...wallet, operation: 'voidRefund' }] as const) {
    const [interrupted, queued, end, ...more] = recoveryEvents(record([accepted, sent]));
    assert.deepEqual(interrupted, answered({ kind: 'unknown', reason: 'interrupted' }));
    assert.equal(queued?.kind, 'reversalQueued');
    assert.ok(end?.kind === 'ended' && end.result === 'UNKNOWN');
    assert.doesNotMatch(end.message, /reversed/);
    assert.deepEqual(more, []);
  }
  const [, , reversed] = recoveryEvents(record([accepted, wallet]));
  assert.ok(reversed?.kind === 'ended' && reversed.result === 'ERROR');
});

test('what is known by now is left alone', () => {
  const known = [accepted, octopus, answered(outcomes.unknown), reversalQueued, notKnown];
  const paid = record([...known, answered(outcomes.approved), endedApproved, resolved]);
  assert.deepEqual(recoveryEvents(paid), []);
  assert.deepEqual(reversalDue(paid, 'again'), []);
});

test('cut off after a wrong PIN: declined as the host said; after the next one was sent: reversed', () => {
  const [end, ...more] = recoveryEvents(record([accepted, eps, wrongPin]));
  assert.ok(end?.kind === 'ended' && end.code === 1055);
  assert.deepEqual(more, []);
  const kinds = recoveryEvents(record([accepted, eps, wrongPin, eps])).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['answered', 'reversalQueued', 'ended']);
});

test('cut off while a card had the last word: reversed, although the host approved', () => {
  const held = [accepted, chip, answered(outcomes.approved)];
  for (const events of [held, [...held, cardsWord(true)]]) {
    const [queued, end, ...more] = recoveryEvents(record(events));
    assert.equal(queued?.kind, 'reversalQueued');
    assert.ok(end?.kind === 'ended' && end.result === 'ERROR');
    assert.deepEqual(more, []);
  }
});

test('a code that was withdrawn before the cut has nothing to reverse', () => {
  const [end, ...more] = recoveryEvents(record([accepted, wallet, withdrawn]));
  assert.ok(end?.kind === 'ended');
  assert.match(end.message, /before the payment was sent/);
  assert.deepEqual(more, []);
});

for (const [name, sent] of Object.entries({ intent, octopus })) {
  test(`a payment that was cut off (${name}): a slip, where there is a printer`, () => {
    const cut = record([accepted, sent]);
    const kinds = (prints: boolean) => recoveryEvents(cut, undefined, prints).map(({ kind }) => kind);
    assert.deepEqual(kinds(true), ['answered', 'reversalQueued', 'ended', 'receiptQueued']);
    assert.deepEqual(kinds(false), ['answered', 'reversalQueued', 'ended']);
    const notYet = recoveryEvents(record([accepted]), undefined, true);
    assert.ok(!notYet.some(({ kind }) => kind === 'receiptQueued'), 'nothing had been sent');
  });
}
