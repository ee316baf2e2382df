import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { Batch } from '../../../src/payment/records/batch.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { presentMessage } from '../../../src/payment/records/present.ts';
import { setAsideEvents, setAsideRefusal, triesBefore } from '../../../src/payment/transaction/set-aside.ts';
import { presentStatus, transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import {
  answered,
  ended,
  endedApproved,
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
import { tree } from '../records/trees.ts';
import { accepted, eps, intent, octopus, wallet } from '../../support/events.ts';

const adviceSent = (attempt: number): JournalEvent => ({ kind: 'adviceSent', attempt });
const tries = (sent: (attempt: number) => JournalEvent, count: number) =>
  Array.from({ length: count }, (_, before) => sent(before + 1));
const extra = (attempt: number): JournalEvent => ({ kind: 'reversalSent', attempt, isExtra: true });
const extraAdvice = (attempt: number): JournalEvent => ({ kind: 'adviceSent', attempt, isExtra: true });
const queued = [accepted, intent, answered(outcomes.unknown), reversalQueued, endedUnknown];
const offline = { ...intent, operation: 'offlineSale' } as const;
const adviceQueued: JournalEvent = { kind: 'adviceQueued' };
const advised = [accepted, offline, answered(outcomes.offline), adviceQueued, endedApproved];
const word = (answer: 'acknowledged' | 'rejected'): JournalEvent => {
  return { kind: 'adviceAnswered', answer, responseCode: '05', rrn: '', hostTime: '', hostDate: '' };
};

for (const [what, events, refusal] of [
  ['was never sent', queued, 'tooEarly'],
  ['waits for a host that is down', [...queued, ...tries(reversalSent, triesBefore - 1)], 'tooEarly'],
  ['was tried often enough', [...queued, ...tries(reversalSent, triesBefore)], undefined],
  ['was tried often enough for payments alone', [...queued, ...tries(extra, 2 * triesBefore)], 'tooEarly'],
  ['is an advice that was tried for payments alone', [...advised, ...tries(extraAdvice, 2 * triesBefore)], 'tooEarly'],
  ['was refused once', [...queued, reversalSent(1), hostRefused], undefined],
  ['is through', [...queued, reversalSent(1), hostRefused, reversalAcknowledged], 'notWaiting'],
  ['is set aside', [...queued, reversalSent(1), hostRefused, posted], 'notWaiting'],
  ['is an advice on its way', [...advised, { kind: 'adviceSent', attempt: 1 }], 'tooEarly'],
  ['is an advice that was refused', [...advised, { kind: 'adviceSent', attempt: 1 }, hostRefused], undefined],
  ['is an advice that was tried often enough', [...advised, ...tries(adviceSent, triesBefore)], undefined],
  ['is an advice that was rejected', [...advised, word('rejected')], undefined],
  ['is a rejected advice that was set aside', [...advised, word('rejected'), notPosted], 'notWaiting'],
  ['is an advice that was taken', [...advised, word('acknowledged')], 'notWaiting'],
  ['runs still at the Octopus reader', [accepted, octopus, answered(outcomes.unknown), reversalQueued], 'tooEarly'],
  [
    'is an Octopus card that did not come back',
    [
      accepted,
      octopus,
      answered(outcomes.unknown),
      reversalQueued,
      ended(failure('UNKNOWN', 'outcomeUnknown', 'not yet')),
    ],
    undefined,
  ],
  ['has nothing to reverse', [accepted, intent, answered(outcomes.declined)], 'notWaiting'],
] as const satisfies readonly (readonly [string, readonly JournalEvent[], string | undefined])[]) {
  test(`what ${what}: ${refusal ?? 'may be set aside'}`, () => {
    assert.equal(setAsideRefusal(record(events), false), refusal);
    // What can't be sent at all is waited for in vain.
    assert.equal(setAsideRefusal(record(events), true), refusal === 'notWaiting' ? 'notWaiting' : undefined);
  });
}

test('of a wallet’s sale that the bank calls unpaid the order may still be open', () => {
  const isOpen = (events: readonly JournalEvent[], outcome: 'POSTED' | 'NOT_POSTED' = 'NOT_POSTED') =>
    setAsideEvents(record(events), outcome, true).find(({ kind }) => kind === 'orderClosed');
  const open = [accepted, wallet, answered(outcomes.unknown), reversalQueued];
  const { acquirerId, trace } = wallet;
  assert.deepEqual(isOpen(open), { kind: 'orderClosed', acquirerId, stan: trace.stan, isOpen: true });
  const final = { ...wallet, isFinal: true } as const;
  assert.partialDeepStrictEqual(isOpen([accepted, final, answered(outcomes.unknown), reversalQueued]), {
    isFinal: true,
  });
  assert.equal(isOpen(open, 'POSTED'), undefined);
  assert.equal(isOpen([...open, { kind: 'numberTaken' }]), undefined, 'of an older copy nothing is sent');
  const refund = { ...wallet, operation: 'refund' } as const;
  const found = isOpen([accepted, refund, answered(outcomes.unknown), reversalQueued]);
  assert.partialDeepStrictEqual(found, { isFinal: true, isOpen: true }, 'a refund is only asked for');
  const undone = { ...wallet, operation: 'voidRefund' } as const;
  assert.equal(isOpen([accepted, undone, answered(outcomes.unknown), reversalQueued]), undefined);
  assert.equal(isOpen(queued), undefined, 'a card has no order');
});

test('an UNKNOWN becomes an ERROR where the bank has nothing; no result ever becomes a success', () => {
  const unknown = [
    accepted,
    octopus,
    answered(outcomes.unknown),
    reversalQueued,
    ended(failure('UNKNOWN', 'outcomeUnknown', 'not yet')),
  ];
  const none = record([...unknown, ...setAsideEvents(record(unknown), 'NOT_POSTED', true)]);
  assert.deepEqual([none.conclusion?.result, financialImpact(none)], ['ERROR', 'REVERSED']);
  const stays = record([...unknown, ...setAsideEvents(record(unknown), 'POSTED', true)]);
  assert.deepEqual([stays.conclusion?.result, financialImpact(stays)], ['UNKNOWN', 'UNKNOWN']);
  for (const outcome of ['POSTED', 'NOT_POSTED'] as const) {
    assert.deepEqual(setAsideEvents(record(queued), outcome, true), [{ kind: 'setAside', outcome }]);
  }
});

for (const [type, stays, none] of [
  ['SALE', /^charged, .*Do not charge again; refund it instead$/, /^not charged, or reversed: /],
  ['AUTH', /^held, .*Do not authorize again; void it, and take the payment as a sale$/, /^not held, or reversed: /],
  ['REFUND', /^refunded, .*Do not refund again$/, /^not refunded/],
  ['VOID_SALE', /^voided, .*Do not void or refund again$/, /^not voided/],
] as const satisfies readonly (readonly [TransactionKind, RegExp, RegExp])[]) {
  test(`the POS is told of a ${type} what the bank said, and by whom that is known`, () => {
    const waiting: JournalEvent[] = [{ ...accepted, type }, ...queued.slice(1), reversalSent(1), hostRefused];
    assert.equal(presentMessage(record(waiting)), record(waiting).conclusion?.message);
    for (const [reported, words] of [
      [posted, stays],
      [notPosted, none],
    ] as const) {
      const message = presentMessage(record([...waiting, reported]));
      assert.match(message, words);
      assert.match(message, /confirmed by the operator with the acquirer/);
      assert.doesNotMatch(message, /is reversed/);
    }
    const through = record([...waiting, posted, reversalAcknowledged]);
    assert.equal(presentMessage(through), through.conclusion?.message);
  });
}

for (const [method, intended, advice] of [
  ['Octopus', octopus, 'give the goods'],
  ['EPS', eps, 'give the goods'],
  ['FPS', { ...wallet, isFinal: true }, 'give the goods'],
  ['a wallet', wallet, 'refund it instead'],
] as const) {
  test(`the advice about a posted payment by ${method}: ${advice}`, () => {
    const waiting = [accepted, intended, answered(outcomes.unknown), reversalQueued, posted];
    assert.match(presentMessage(record(waiting)), new RegExp(`Do not charge again; ${advice}$`));
  });
}

const aside = (outcome: 'POSTED' | 'NOT_POSTED') => [
  ...queued.slice(1),
  hostRefused,
  { kind: 'setAside', outcome } as const,
];

test('what the bank has is in the batch, as its books are; what it has not is not', () => {
  const totalOf = (outcome: 'POSTED' | 'NOT_POSTED', type: TransactionKind = 'SALE') => {
    const batch = new Batch();
    batch.add(record([{ ...accepted, type }, ...aside(outcome)]));
    return batch.totals('HKD');
  };
  const none = { count: 0, minor: 0n };
  const one = { count: 1, minor: 3000n };
  assert.deepEqual(totalOf('POSTED'), { currency: 'HKD', sales: one, refunds: none });
  assert.deepEqual(totalOf('NOT_POSTED'), { currency: 'HKD', sales: none, refunds: none });
  assert.deepEqual(totalOf('POSTED', 'REFUND'), { currency: 'HKD', sales: none, refunds: one });
});

test('a void that the bank has took its sale out of the batch; one that it has not left it there', () => {
  for (const [outcome, count] of [
    ['POSTED', 0],
    ['NOT_POSTED', 1],
  ] as const) {
    const batch = new Batch();
    const sale = record([accepted, intent, answered(outcomes.approved), endedApproved]);
    batch.add(sale);
    const voided = record([{ ...accepted, type: 'VOID_SALE', originalId: sale.id }, ...aside(outcome)]);
    batch.add(voided);
    assert.equal(batch.totals('HKD').sales.count, count);
    const later = [{ record: voided, later: [] }];
    assert.equal(transactionStatus({ record: sale, later }).voided, outcome === 'POSTED');
    assert.equal(presentStatus({ record: sale, later }), outcome === 'POSTED' ? 'VOIDED' : 'APPROVED');
  }
});

test('a refund that the bank has counts against what is left to refund', () => {
  const refund = { record: record([{ ...accepted, type: 'REFUND' }, ...aside('POSTED')]), later: [] };
  assert.equal(transactionStatus(tree('SALE', { later: [refund] })).refundedMinor, 3000n);
  const none = { record: record([{ ...accepted, type: 'REFUND' }, ...aside('NOT_POSTED')]), later: [] };
  assert.equal(transactionStatus(tree('SALE', { later: [none] })).refundedMinor, 0n);
});

test('an enquiry tells REVERSED where the bank has nothing, and never APPROVED', () => {
  const status = (outcome: 'POSTED' | 'NOT_POSTED') =>
    presentStatus({ record: record([accepted, ...aside(outcome)]), later: [] });
  assert.deepEqual([status('POSTED'), status('NOT_POSTED')], ['ERROR', 'REVERSED']);
});
