import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Reason, reasons } from '../../../src/base/domain/reason.ts';
import { transactionTypes } from '../../../src/base/domain/transaction-kind.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { isCancelled, reportOutcome } from '../../../src/payment/terminal/recovery.ts';
import { outcomeView } from '../../../src/payment/terminal/outcome-view.ts';
import {
  answered,
  ended,
  endedApproved,
  outcomes,
  record,
  reversalAcknowledged,
  reversalQueued,
} from '../records/records.ts';
import { pageLanguages, pageModule, pageWords } from '../../screen/page-module.ts';
import { accepted, intent as intended } from '../../support/events.ts';

interface Words {
  readonly lang: string;
}
interface Said {
  readonly lines: Readonly<Record<'happened' | 'money' | 'next', string>>;
}
const { message } = await pageModule<{ message: (view: object, words: Words) => Said }>('message');
const allReasons = Object.keys(reasons) as readonly Reason[];

/** What can have become of the money, and the events that say so. The oracle of the last is that its answer is lost. */
const histories: Readonly<Record<string, readonly JournalEvent[]>> = {
  NONE: [],
  REVERSAL_PENDING: [intended, answered(outcomes.unknown), reversalQueued],
  REVERSED: [intended, answered(outcomes.unknown), reversalQueued, reversalAcknowledged],
};

function endedBy(reason: Reason, events: readonly JournalEvent[] = []): TransactionRecord {
  return record([accepted, ...events, ended(failure('ERROR', reason, 'why'))]);
}

for (const name of pageLanguages) {
  const words = await pageWords<Words>(name);
  test(`${words.lang}: each reason says what happened, what became of the money and what to do next`, () => {
    for (const reason of allReasons) {
      const { lines } = message(outcomeView(endedBy(reason)), words);
      for (const [line, text] of Object.entries(lines)) assert.match(text, /\S/, `${reason}: ${line}`);
      assert.doesNotMatch(Object.values(lines).join(), /[{}]/, reason);
    }
  });

  test(`${words.lang}: what is said of the money differs with what became of it`, () => {
    const said = Object.values(histories).map((events) => message(outcomeView(endedBy('noAnswer', events)), words));
    assert.equal(new Set(said.map(({ lines }) => lines.money)).size, said.length);
  });
}

describe('what became of the money', () => {
  for (const [impact, events] of Object.entries(histories)) {
    test(`${impact}: the screen says what the POS is told, whatever the reason`, () => {
      for (const reason of allReasons) {
        const ending = endedBy(reason, events);
        assert.equal(financialImpact(ending), impact, 'the premise');
        assert.equal(reportOutcome(ending, { ways: [] }).money, `charge-${impact}`);
      }
    });
  }

  test('UNKNOWN: nobody is invited to pay again', () => {
    for (const reason of allReasons) {
      const ending = record([accepted, ended(failure('UNKNOWN', reason, 'why'))]);
      const { money, next } = reportOutcome(ending, { ways: ['CASH'] });
      assert.deepEqual([money, next], ['charge-UNKNOWN', 'askBeforePaying'], reason);
    }
  });

  test('is told of what was asked for: a refund, a void, a tip', () => {
    const subjects = Object.fromEntries(
      transactionTypes
        .filter((type) => type !== 'VOID')
        .map((type) => {
          const { request, ...rest } = endedBy('noAnswer');
          return [type, reportOutcome({ ...rest, request: { ...request, type } }, { ways: [] })];
        }),
    );
    assert.equal(subjects['SALE']?.money, 'charge-NONE');
    assert.equal(subjects['AUTH']?.money, 'charge-NONE');
    assert.deepEqual(subjects['REFUND'], { happened: 'noAnswer', money: 'refund-NONE', next: 'repeat' });
    assert.deepEqual(subjects['TIP_ADJUST'], { happened: 'noAnswer', money: 'tip-NONE', next: 'repeat' });
    for (const type of ['VOID_SALE', 'VOID_AUTH', 'VOID_OFFLINE', 'VOID_AUTH_COMP', 'VOID_REFUND']) {
      assert.deepEqual(subjects[type], { happened: 'noAnswer', money: 'void-NONE', next: 'repeat' });
    }
  });

  test('an approval says that it was charged; an authorization that it is held', () => {
    const { request, ...approved } = record([accepted, intended, answered(outcomes.approved), endedApproved]);
    assert.equal(reportOutcome({ ...approved, request }, { ways: [] }).money, 'charge-DONE');
    const held = { ...approved, request: { ...request, type: 'AUTH' as const } };
    assert.equal(reportOutcome(held, { ways: [] }).money, 'hold-DONE');
  });
});

describe('what is no error', () => {
  const wished = ['cancelledByPos', 'cancelledByMerchant', 'cancelledByCustomer', 'customerTimeout'] as const;

  test('what somebody wished, if nothing has moved, and nothing else', () => {
    const neutral = allReasons.filter((reason) => isCancelled(endedBy(reason)));
    assert.deepEqual(neutral, [...wished]);
    assert.equal(outcomeView(endedBy('cancelledByPos')).scene, 'cancelled');
    assert.equal(outcomeView(endedBy('hostDown')).scene, 'error');
  });

  test('what was cancelled while the money is in doubt is one', () => {
    for (const reason of wished) {
      assert.equal(outcomeView(endedBy(reason, histories['REVERSAL_PENDING'])).scene, 'error');
    }
  });
});

describe('what can be paid with while the bank has to answer', () => {
  const blocked = endedBy('reversalsPending');

  test('names what is blocked, and what works', () => {
    const view = outcomeView(blocked, { mode: 'CARD', ways: ['QR_SCAN', 'OCTOPUS', 'CASH'] });
    assert.deepEqual(view.reported, { happened: 'cardsBankFirst', money: 'charge-NONE', next: 'waysThatWork' });
    assert.deepEqual(view.ways, ['QR_SCAN', 'OCTOPUS', 'CASH']);
  });

  test('nothing works: to be tried later', () => {
    const { reported, ways } = outcomeView(blocked, { mode: 'QR_SCAN', ways: [] });
    assert.deepEqual(reported, { happened: 'walletsBankFirst', money: 'charge-NONE', next: 'tryLater' });
    assert.equal(ways, undefined);
  });

  test('each way is listed once', async () => {
    const view = outcomeView(blocked, { mode: 'CARD', ways: ['QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'CASH'] });
    const { lines } = message(view, await pageWords<Words>('words-en'));
    assert.equal(lines.next, 'These work: QR code, Octopus, and cash');
  });
});
