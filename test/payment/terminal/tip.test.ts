import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { tipMinor } from '../../../src/payment/records/transaction-status.ts';
import { unmatchedApprovalOf } from '../../../src/payment/method/unmatched-approval.ts';
import { cardIntentOf } from '../../../src/payment/records/payment.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { about, ended, everything, sale, Stage, timeouts } from './stage.ts';

const tips = { percents: [10, 15], amounts: { HKD: [500, 1000], JPY: [100] }, ownAmount: true, percentMax: 20 };

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { ...everything, tips });
});
afterEach(() => stage.close());

/** Starts a payment that asks for a tip, up to the question. */
async function asked(messageId = 'M-1', fields: Partial<PaymentRequest> = {}): Promise<{ answer: Promise<PayAnswer> }> {
  const turn = stage.trace.count('screen: chooseTip') + 1;
  const request = sale(messageId, { askTip: true, preferredEntryMode: 'CARD', ...fields });
  const answer = stage.terminal.pay(request);
  await Promise.race([stage.trace.seen('screen: chooseTip', turn), answer]);
  return { answer };
}

const choose = (amount: string) => stage.act({ kind: 'tip', amount });

/** Chooses, and presents a card to the reader that is then armed. */
async function paidWith(amount: string, answer: Promise<PayAnswer>): Promise<TransactionRecord> {
  const armed = stage.trace.count('reader: armed') + 1;
  choose(amount);
  await Promise.race([stage.trace.seen('reader: armed', armed), answer]);
  stage.reader.present('visa');
  return ended(await answer);
}

test('the question comes before the card: one amount is written, armed, sent, shown and told', async () => {
  const { answer } = await asked();
  assert.deepEqual(stage.trace.events, ['commit: accepted', 'screen: chooseTip']);
  assert.deepEqual(stage.views.at(-1), {
    scene: 'chooseTip',
    transaction: durable(stage).id,
    amount: '30.00',
    currency: 'HKD',
    kind: 'SALE',
    tips: [
      { tip: '3.00', total: '33.00', percent: 10 },
      { tip: '4.50', total: '34.50', percent: 15 },
      { tip: '5.00', total: '35.00' },
    ],
    ownTipMost: '6.00',
    cancellable: true,
  });
  assert.partialDeepStrictEqual(stage.terminal.running, { state: 'collecting', step: 'choosingTip' });
  const record = await paidWith('4.50', answer);
  assert.equal(ending(record), 'SUCCESS');
  assert.deepEqual(record.amount, { minor: 3450n, currency: 'HKD' });
  assert.equal(tipMinor(record), 450n);
  assert.deepEqual(kindsOf(stage), ['accepted', 'tipChosen', 'intent', 'answered', 'ended']);
  const { trace, reader, edc, views } = stage;
  assert.ok(
    trace.events.indexOf('commit: tipChosen') < trace.events.indexOf('reader: armed'),
    'durable before it is armed',
  );
  assert.deepEqual(
    reader.requests.map(({ amount }) => amount.minor),
    [3450n],
  );
  assert.partialDeepStrictEqual(edc.requests, [{ amount: { minor: 3450n, currency: 'HKD' }, tipMinor: 450n }]);
  for (const scene of ['presentCard', 'approved']) {
    assert.partialDeepStrictEqual(
      views.findLast((view) => view.scene === scene),
      { amount: '34.50', tip: '4.50' },
    );
  }
  assertClean(stage);
});

test('no tip is written too, and the payment is of the amount that the POS asked for', async () => {
  const { answer } = await asked();
  const record = await paidWith('0.00', answer);
  assert.equal(ending(record), 'SUCCESS');
  assert.deepEqual([record.amount.minor, tipMinor(record)], [3000n, 0n]);
  assert.equal('tip' in (stage.views.findLast(({ scene }) => scene === 'approved') ?? {}), false);
  assert.deepEqual(kindsOf(stage), ['accepted', 'tipChosen', 'intent', 'answered', 'ended']);
});

test('who does not choose in time gives no tip, and the payment goes on', async () => {
  const { answer } = await asked();
  await stage.clock.advance(timeouts.tipMs - 1);
  await settled();
  assert.equal(stage.views.at(-1)?.scene, 'chooseTip');
  await stage.clock.advance(1);
  await stage.trace.seen('reader: armed');
  stage.reader.present('visa');
  assert.equal(ended(await answer).amount.minor, 3000n);
});

describe('an amount of the customer', () => {
  test('is offered by the terminal with its total, and confirmed', async () => {
    const { answer } = await asked();
    stage.act({ kind: 'ownTip', amount: '6' });
    assert.deepEqual(stage.views.at(-1)?.ownTip, { tip: '6.00', total: '36.00' });
    assert.deepEqual(kindsOf(stage), ['accepted'], 'it is not chosen yet');
    assert.equal((await paidWith('6.00', answer)).amount.minor, 3600n);
  });

  test('gives its customer the whole time again, to confirm it', async () => {
    const { answer } = await asked();
    await stage.clock.advance(timeouts.tipMs - 1);
    stage.act({ kind: 'ownTip', amount: '5.50' });
    await stage.clock.advance(timeouts.tipMs - 1);
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'chooseTip');
    assert.equal((await paidWith('5.50', answer)).amount.minor, 3550n);
  });

  for (const amount of ['6.01', '0', '0.00', '5.001', '999999999999', '99999999999.99']) {
    test(`${amount}: not offered`, async () => {
      const { answer } = await asked();
      stage.act({ kind: 'ownTip', amount });
      choose(amount);
      await settled();
      const view = stage.views.at(-1);
      if (amount === '0.00') assert.equal(view?.scene, 'presentCard', 'it is the name of no tip');
      else assert.equal(view?.scene, 'chooseTip');
      assert.equal(
        stage.views.some(({ ownTip }) => ownTip !== undefined),
        false,
      );
      stage.act({ kind: 'cancel' });
      await answer;
    });
  }

  test('is not offered where the configuration does not let a customer enter one', async () => {
    stage.close();
    stage = new Stage(undefined, { ...everything, tips: { ...tips, ownAmount: false } });
    const { answer } = await asked();
    assert.equal('ownTipMost' in (stage.views.at(-1) ?? {}), false);
    stage.act({ kind: 'ownTip', amount: '5.00' });
    stage.act({ kind: 'ownTip', amount: '5.50' });
    choose('5.50');
    await settled();
    assert.equal(stage.views.at(-1)?.ownTip, undefined);
    assert.equal((await paidWith('5.00', answer)).amount.minor, 3500n);
  });
});

for (const amount of ['3.01', '3', '3.0', '-3.00', '4.5', '6.00', '10.00', '', '33.00']) {
  test(`a page that chooses ${amount || 'nothing'}, which was not offered, is not heard`, async () => {
    const { answer } = await asked();
    choose(amount);
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'chooseTip');
    assert.deepEqual(kindsOf(stage), ['accepted']);
    assert.equal((await paidWith('3.00', answer)).amount.minor, 3300n);
  });
}

test('two buttons at once: the first counts', async () => {
  const { answer } = await asked();
  choose('4.50');
  const record = await paidWith('3.00', answer);
  assert.equal(record.amount.minor, 3450n);
  assert.deepEqual(kindsOf(stage), ['accepted', 'tipChosen', 'intent', 'answered', 'ended']);
});

for (const by of ['POS', 'merchant'] as const) {
  test(`cancelled by the ${by} while the customer chooses: nothing is armed or sent`, async () => {
    const { answer } = await asked();
    if (by === 'POS') await stage.terminal.cancel('POS-1', 'M-1');
    else stage.act({ kind: 'cancel' });
    const record = ended(await answer);
    assert.equal(ending(record), 'TRANSACTION_ALREADY_CANCEL NONE');
    assert.equal(record.amount.minor, 3000n);
    assert.equal(stage.trace.count('reader: armed'), 0);
    assert.deepEqual(kindsOf(stage), ['accepted', 'ended']);
    choose('3.00');
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });
}

test('cancelled while the tip is being written: the end is written after it, and nothing is armed', async () => {
  const { answer } = await asked();
  choose('3.00');
  stage.act({ kind: 'cancel' });
  assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
  assert.deepEqual(kindsOf(stage), ['accepted', 'tipChosen', 'ended']);
  assert.equal(stage.trace.count('reader: armed'), 0);
  assertClean(stage);
});

test('stopped while the customer chooses: told as a restart', async () => {
  const { answer } = await asked();
  await stage.terminal.close();
  assert.equal(ended(await answer).conclusion?.reason, 'terminalRestarting');
});

test('killed while the customer chooses: nothing was charged, and the repeat neither asks nor pays', async () => {
  void (await asked()).answer;
  await stage.restart();
  const shown = stage.trace.count('screen: chooseTip');
  const record = ended(await stage.terminal.pay(sale('M-1', { askTip: true, preferredEntryMode: 'CARD' })));
  assert.equal(ending(record), 'ERROR NONE');
  assert.equal(record.conclusion?.reason, 'restartedBeforeSending');
  assert.equal(stage.trace.count('screen: chooseTip'), shown);
  assert.equal(stage.posted, 0);
});

test('killed after the choice: nothing was charged, and the tip is still told', async () => {
  await asked();
  choose('4.50');
  await stage.trace.seen('reader: armed');
  await stage.restart();
  assert.equal(await enquired(stage), 'ERROR NONE');
  const record = durable(stage);
  assert.deepEqual([record.amount.minor, tipMinor(record)], [3450n, 450n]);
});

test('killed at the host: the reversal is of the amount with the tip', async () => {
  const reversed: bigint[] = [];
  await asked();
  stage.edc.onRequest = () => new Promise(() => undefined);
  stage.edc.onReversal = ({ amount }) => {
    reversed.push(amount.minor);
    return { kind: 'acknowledged', responseCode: '00' };
  };
  const armed = stage.trace.seen('reader: armed');
  choose('4.50');
  await armed;
  stage.reader.present('visa');
  await stage.trace.seen('EDC: sale');
  await stage.restart();
  await settled();
  assert.deepEqual(reversed, [3450n]);
  assert.equal(await enquired(stage), 'ERROR REVERSED');
});

test('a try that its host approves after all is taken back with its tip', async () => {
  const { answer } = await asked();
  const record = await paidWith('4.50', answer);
  const intent = cardIntentOf(record.intent) ?? assert.fail();
  const { accepted, events } = unmatchedApprovalOf(record, intent, { responseCode: '00', rrn: '' });
  const at = record.createdAt.toISOString();
  const unmatched = transactionRecord(
    record.id,
    [accepted, ...events].map((event) => ({ at, event })),
  );
  assert.deepEqual([unmatched.amount.minor, tipMinor(unmatched)], [3450n, 450n]);
});

test('the same request again while the customer chooses waits for the same answer; later it gets it again', async () => {
  const { answer } = await asked();
  const request = sale('M-1', { askTip: true, preferredEntryMode: 'CARD' });
  const joined = stage.terminal.pay(request);
  const record = await paidWith('3.00', answer);
  const again = stage.terminal.pay(request);
  for (const each of [await joined, await again]) {
    assert.deepEqual([ended(each).id, ended(each).amount.minor, tipMinor(ended(each))], [record.id, 3300n, 300n]);
  }
  assert.equal(stage.trace.events.filter((event) => event === 'commit: tipChosen').length, 1);
  const { trace } = stage;
  assert.ok(trace.events.lastIndexOf('screen: chooseTip') < trace.events.indexOf('reader: armed'), 'it asks once');
  assert.equal(stage.posted, 1);
});

test('a journal that fails at the tip: nothing is armed or sent, and the POS is told', async () => {
  const { answer } = await asked();
  stage.journal.fault = (_call, operation) => operation === 'append';
  choose('3.00');
  assert.equal(ending(ended(await answer)), 'DATABASE_ERROR NONE');
  assert.equal(stage.trace.count('reader: armed'), 0);
  assert.equal(stage.posted, 0);
});

test('after a tip EPS is not offered, after no tip it is', async () => {
  for (const [amount, offered] of [
    ['3.00', false],
    ['0.00', true],
  ] as const) {
    const messageId = `M-${amount}`;
    const { answer } = await asked(messageId, { preferredEntryMode: 'DEFAULT' });
    choose(amount);
    await stage.trace.seen('screen: chooseMethod', messageId === 'M-3.00' ? 1 : 2);
    assert.equal(stage.views.at(-1)?.modes?.includes('EPS'), offered, amount);
    stage.act({ kind: 'cancel' });
    await answer;
  }
});

test('every method that takes a tip takes it: cash is due with it', async () => {
  const { answer } = await asked('M-1', { preferredEntryMode: 'CASH' });
  choose('5.00');
  await stage.trace.seen('screen: tenderCash');
  assert.partialDeepStrictEqual(stage.views.at(-1), { amount: '35.00', tip: '5.00' });
  stage.act({ kind: 'tender', amount: '30.00' });
  await settled();
  assert.equal(stage.views.at(-1)?.scene, 'tenderCash', 'less than the amount with the tip');
  stage.act({ kind: 'tender', amount: '40' });
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assert.partialDeepStrictEqual(
    stage.views.findLast(({ scene }) => scene === 'approved'),
    { change: '5.00' },
  );
});

test('a currency without minor units: a percentage is rounded to the nearest unit', async () => {
  const { answer } = await asked('M-1', { amount: { minor: 1234n, currency: 'JPY' } });
  assert.deepEqual(stage.views.at(-1)?.tips, [
    { tip: '123', total: '1357', percent: 10 },
    { tip: '185', total: '1419', percent: 15 },
    { tip: '100', total: '1334' },
  ]);
  assert.equal((await paidWith('185', answer)).amount.minor, 1419n);
});

describe('a question that would lead nowhere is refused before anything starts', () => {
  for (const [why, equipment, fields, reason] of [
    ['tips are not set up', { tips: undefined }, {}, 'tipQuestionNotSetUp'],
    [
      'no tips in this currency',
      { tips: { ...tips, percents: [], ownAmount: false } },
      { amount: { minor: 3000n, currency: 'CNY' } },
      'tipQuestionNotSetUp',
    ],
    ['EPS takes no tip', { tips }, { preferredEntryMode: 'DEFAULT', preferredInstrument: 'EPS' }, 'tipNotTaken'],
    ['the amount is too small', { tips }, { amount: { minor: 2n, currency: 'HKD' } }, 'tipNotTaken'],
  ] as const) {
    test(why, async () => {
      stage.close();
      stage = new Stage(undefined, { ...everything, ...(equipment as object) });
      const { answer } = await asked('M-1', fields);
      const refused = await answer;
      assert.equal(refused.kind === 'refused' && refused.refusal.reason, reason);
      assert.equal(refused.kind === 'refused' && refused.refusal.pointer, '/askTip');
      assert.deepEqual(
        stage.trace.events.filter((event) => event.startsWith('commit')),
        [],
      );
    });
  }
});

test('limits of offline sales: a tip beyond them is not taken, and the customer chooses again', async () => {
  stage.close();
  const offline = { amountMinorMax: 3300n, countMax: 10, sumMinorMax: 100_000n };
  stage = new Stage(undefined, { tips, offline });
  const { answer } = await asked('M-1', { type: 'OFFLINE_SALE', forcedAcquirer: acquirerId('EDC') });
  choose('4.50');
  await settled();
  assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'chooseTip', hint: 'tipNotPossible' });
  assert.deepEqual(kindsOf(stage), ['accepted'], 'it is not written');
  const record = await paidWith('3.00', answer);
  assert.equal(ending(record), 'SUCCESS');
  assert.deepEqual([record.amount.minor, tipMinor(record)], [3300n, 300n]);
});

test('a reader that is unplugged while the customer chooses: told, and nothing is charged', async () => {
  const { answer } = await asked();
  stage.reader.state = 'absent';
  choose('0.00');
  const record = ended(await answer);
  assert.equal(ending(record), 'ERROR NONE');
  assert.equal(record.conclusion?.reason, 'cardReaderAbsent');
  assertClean(stage);
});

test('a total that no message can hold is not offered, whatever the method takes', async () => {
  const largest = { minor: 10n ** 12n - 301n, currency: 'HKD' } as const;
  const { answer } = await asked('M-1', {
    amount: largest,
    preferredEntryMode: 'CASH',
    forcedAcquirer: acquirerId('CASH'),
  });
  assert.partialDeepStrictEqual(stage.views.at(-1), { tips: [], ownTipMost: '3.00' });
  stage.act({ kind: 'cancel' });
  await answer;
});

test('a sale with a chosen tip is adjusted and refunded by its total, as one whose tip the POS told', async () => {
  const { answer } = await asked();
  const sold = await paidWith('3.00', answer);
  const tooMuch = await stage.terminal.pay(
    about('TIP_ADJUST', 'M-2', sold, { amount: { minor: 3601n, currency: 'HKD' } }),
  );
  assert.equal(tooMuch.kind === 'refused' && tooMuch.refusal.reason, 'tipTooHigh', '20 % of 30.00 without tip');
  const half = await stage.terminal.pay(about('VOID', 'M-3', sold, { amount: { minor: 3000n, currency: 'HKD' } }));
  assert.equal(half.kind === 'refused' && half.refusal.reason, 'notWholeAmount');
  assert.equal(ending(ended(await stage.terminal.pay(about('VOID', 'M-4', sold)))), 'SUCCESS');
  assert.equal(stage.edc.requests.at(-1)?.amount.minor, 3300n);
});
