import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent } from '../../src/ports/journal.ts';
import { concluded, failure } from '../../src/transaction/decide.ts';
import { financialImpact } from '../../src/transaction/record.ts';
import { recovered, reversalDue } from '../../src/transaction/recover.ts';
import {
  accepted,
  answered,
  ended,
  endedApproved,
  endedCancelled,
  endedUnknown,
  intent,
  outcomes,
  record,
  reversalAcknowledged,
  reversalQueued,
  reversalSent,
} from './records.ts';

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
];

const lives: readonly (readonly JournalEvent[])[] = [
  [accepted, endedCancelled],
  [accepted, answered(outcomes.notSent), ended(concluded(outcomes.notSent))],
  [accepted, intent, answered(outcomes.notSent), ended(concluded(outcomes.notSent))],
  [accepted, intent, answered(outcomes.declined), ended(concluded(outcomes.declined))],
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
  [accepted, intent, ended(failure('DATABASE_ERROR', 'the answer could not be written'))],
  [accepted, intent, answered(outcomes.approved), ended(failure('DATABASE_ERROR', 'the answer came too late'))],
];

const prefixes = lives.flatMap((life) => life.map((_, last) => life.slice(0, last + 1)));

function named(events: readonly JournalEvent[]): string {
  const word = (event: JournalEvent) => {
    if (event.kind === 'answered') return event.outcome.kind;
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
    const repair = recovered(cut);
    const whole = [...events, ...repair];
    const after = record(whole);

    const mayBePosted =
      cut.intent !== undefined &&
      cut.hostOutcome?.kind !== 'declined' &&
      cut.hostOutcome?.kind !== 'notSent' &&
      !(cut.hostOutcome?.kind === 'approved' && cut.conclusion?.outcome === 'approved');
    const queued = whole.filter(({ kind }) => kind === 'reversalQueued').length;
    assert.equal(queued, mayBePosted ? 1 : 0);
    assert.equal(whole.filter(({ kind }) => kind === 'ended').length, 1);
    assert.ok(whole.filter(({ kind }) => kind === 'answered').length <= 1);
    assert.deepEqual(after.conclusion, cut.conclusion ?? after.conclusion, 'an end stays as it was told');
    assert.notEqual(
      cut.conclusion === undefined && after.conclusion?.result,
      'SUCCESS',
      'recovery never makes a success',
    );
    assert.equal(
      after.conclusion?.result === 'SUCCESS' ? 'NONE' : financialImpact(after),
      mayBePosted ? (cut.reversal === 'acknowledged' ? 'REVERSED' : 'REVERSAL_PENDING') : 'NONE',
    );
    assert.deepEqual(recovered(after), [], 'a second recovery changes nothing more');
    assert.deepEqual(reversalDue(after, 'again'), []);
  });
}

test('the host said no, the end was cut off: it ends as the host said', () => {
  const [end, ...more] = recovered(record([accepted, intent, answered(outcomes.declined)]));
  assert.deepEqual(end, ended(concluded(outcomes.declined)));
  assert.deepEqual(more, []);
});

test('an end that was told already is written as it was told, but never as a success', () => {
  const told = failure('TIMEOUT', 'no card was presented in time');
  assert.deepEqual(recovered(record([accepted]), told), [ended(told)]);
  const [, , end] = recovered(record([accepted, intent]), failure('DATABASE_ERROR', 'unwritten'));
  assert.deepEqual(end, ended(failure('DATABASE_ERROR', 'unwritten')));
  const success = concluded(outcomes.approved);
  for (const events of [[accepted], [accepted, intent]]) {
    const last = recovered(record(events), success).at(-1);
    assert.equal(last?.kind === 'ended' && last.result, 'ERROR');
  }
});
