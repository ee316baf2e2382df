import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { registerOption } from '../../../src/main/sale-options.ts';
import { Batch } from '../../../src/payment/records/batch.ts';
import { optionTotals } from '../../../src/payment/records/option-totals.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { receiptOf } from '../../../src/payment/terminal/receipt-of.ts';
import type { PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { receiptLines } from '../../../src/receipt/lines.ts';
import { receiptText } from '../../../src/receipt/line.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, durable, ending, enquired, kindsOf } from '../../payment/terminal/method-stage.ts';
import { declines } from '../../payment/terminal/scripted-host.ts';
import { card } from '../../payment/terminal/scripted-reader.ts';
import { about, ended, everything, sale, Stage } from '../../payment/terminal/stage.ts';
import { roundUp } from './round-up.ts';

/** Rounds 30.40 up to 31.00. */
const option = roundUp.open({ charity: 'Trees', toMinor: 100, timeoutMs: 30_000 });
const tips = { percents: [10], amounts: {}, ownAmount: false, percentMax: 20 };

let stage: Stage;
before(() => registerOption(roundUp));
beforeEach(() => {
  stage = new Stage(undefined, { ...everything, tips, options: [option] });
});
afterEach(() => stage.close());

/** As a reader returns a stripe: no cryptogram, so nothing covers the amount. */
const stripe: PresentedCard = { ...card(), entryMode: 'MAGSTRIPE', aid: '', emv: new Map() };
const chip: PresentedCard = { ...card(), entryMode: 'CHIP', awaitsDecision: true };

/** Starts a payment of 30.40 HKD. */
function begin(fields: Partial<PaymentRequest> = {}, messageId = 'M-1'): Promise<PayAnswer> {
  const amount = { minor: 3040n, currency: 'HKD' } as const;
  return stage.terminal.pay(sale(messageId, { amount, preferredEntryMode: 'CARD', ...fields }));
}

/** Presents this card once the reader is armed for the n-th time. */
async function present(presented: PresentedCard = card(), turn = 1): Promise<void> {
  await stage.trace.seen('reader: armed', turn);
  stage.reader.answer({ kind: 'card', card: presented });
  await settled();
}

/** Starts a payment up to the question. */
async function asked(
  presented?: PresentedCard,
  fields?: Partial<PaymentRequest>,
): Promise<{ answer: Promise<PayAnswer> }> {
  const answer = begin(fields);
  await present(presented);
  assert.equal(stage.views.at(-1)?.scene, 'chooseOption');
  return { answer };
}

const choose = async (choice: string) => {
  stage.act({ kind: 'option', choice });
  await settled();
};

async function roundedUp(messageId = 'M-1'): Promise<TransactionRecord> {
  const turn = stage.trace.count('reader: armed') + 1;
  const answer = begin({}, messageId);
  await present(stripe, turn);
  await choose('yes');
  return ended(await answer);
}

const amounts = () => stage.reader.requests.map(({ amount }) => amount.minor);

describe('a contactless card', () => {
  test('is asked about, and presented again for the new amount: one amount is written, armed, sent and shown', async () => {
    const { answer } = await asked();
    assert.partialDeepStrictEqual(stage.views.at(-1), {
      amount: '30.40',
      question: {
        title: { en: 'Round up for Trees?' },
        choices: [
          { id: 'yes', added: '0.60', total: '31.00' },
          { id: 'no', label: { en: 'No' } },
        ],
      },
      cancellable: true,
    });
    assert.partialDeepStrictEqual(stage.terminal.running, { state: 'collecting', step: 'choosingOption' });
    assert.deepEqual(kindsOf(stage), ['accepted']);
    await choose('yes');
    assert.deepEqual(kindsOf(stage), ['accepted', 'optionAnswered'], 'durable before it is armed again');
    assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'presentCard', amount: '31.00', hint: 'presentAgain' });
    assert.deepEqual(amounts(), [3040n, 3100n]);
    await present(card(), 2);
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(record.options, [{ name: 'roundUp', addedMinor: 60n, data: { charity: 'Trees' } }]);
    assert.deepEqual([record.amount.minor, record.request.amountMinor], [3100n, '3100']);
    assert.deepEqual(
      stage.edc.requests.map(({ amount }) => amount.minor),
      [3100n],
    );
    assert.deepEqual(kindsOf(stage), ['accepted', 'optionAnswered', 'intent', 'answered', 'ended']);
    assert.equal(stage.trace.count('screen: chooseOption'), 2, 'shown, and while the answer is written');
    assertClean(stage);
  });

  for (const [why, answer] of [
    ['no', () => choose('no')],
    ['no answer in time', () => stage.clock.advance(30_000)],
  ] as const) {
    test(`${why}: the amount stays, and what was read is sent`, async () => {
      const { answer: paid } = await asked();
      await answer();
      const record = ended(await paid);
      assert.deepEqual([record.amount.minor, ending(record)], [3040n, 'SUCCESS']);
      assert.deepEqual(amounts(), [3040n]);
      assert.deepEqual(kindsOf(stage), ['accepted', 'optionAnswered', 'intent', 'answered', 'ended']);
    });
  }

  test('another card than the one that was asked about is not taken', async () => {
    const { answer } = await asked();
    await choose('yes');
    await present(card('visa', '476173******9999'), 2);
    assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'presentCard', hint: 'sameCard' });
    assert.equal(stage.edc.requests.length, 0);
    await present(card(), 3);
    assert.equal(ended(await answer).amount.minor, 3100n);
  });

  test('no other method is taken with its answer', async () => {
    const { answer } = await asked(undefined, { preferredEntryMode: 'DEFAULT' });
    await choose('yes');
    assert.deepEqual(stage.views.at(-1)?.modes, ['CARD']);
    stage.act({ kind: 'choose', mode: 'CASH' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'presentCard');
    await present(card(), 2);
    assert.equal(ended(await answer).amount.minor, 3100n);
  });
});

test('a stripe covers no amount: it is not swiped again', async () => {
  const record = await roundedUp();
  assert.deepEqual([record.amount.minor, ending(record), amounts()], [3100n, 'SUCCESS', [3040n]]);
  assert.equal(stage.edc.requests[0]?.amount.minor, 3100n);
});

test('a contact chip has made its cryptogram by then: it is inserted again', async () => {
  const { answer } = await asked(chip);
  assert.equal(stage.views.at(-1)?.hint, 'leaveCardIn');
  await choose('yes');
  assert.deepEqual(amounts(), [3040n, 3100n]);
  await present({ ...chip, emv: card().emv }, 2);
  const record = ended(await answer);
  assert.deepEqual([record.amount.minor, ending(record)], [3100n, 'SUCCESS']);
  assert.deepEqual(
    stage.equipped.decisions.map(({ kind }) => kind),
    ['approved'],
  );
});

test('after a message to the host nothing is asked: its amount is that of each further attempt', async () => {
  stage.edc.onRequest = () => declines('65');
  const { answer } = await asked();
  await choose('no');
  assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'presentCard', hint: 'insertCard' });
  assert.deepEqual(stage.views.at(-1)?.modes, ['CARD']);
  stage.edc.onRequest = () => ({ posted: true, outcome: approved() });
  await present({ ...chip, maskedPan: card().maskedPan }, 2);
  const record = ended(await answer);
  assert.equal(ending(record), 'SUCCESS');
  assert.deepEqual(
    stage.edc.requests.map(({ amount }) => amount.minor),
    [3040n, 3040n],
  );
  assert.equal(kindsOf(stage).filter((kind) => kind === 'optionAnswered').length, 1);
});

test('a customer who pays by card instead of a code is asked too', async () => {
  const answer = begin({ preferredEntryMode: 'QR_SCAN' });
  await stage.trace.seen('screen: scanCode');
  stage.act({ kind: 'choose', mode: 'CARD' });
  await present(stripe);
  await choose('yes');
  assert.equal(ended(await answer).amount.minor, 3100n);
});

describe('is not asked', () => {
  test('after a code was shown: whoever has seen it may still pay its amount', async () => {
    const answer = begin({ preferredEntryMode: 'QR_PRESENT' });
    await stage.trace.seen('screen: presentCode');
    await settled();
    stage.act({ kind: 'choose', mode: 'CARD' });
    await present(stripe);
    const record = ended(await answer);
    assert.deepEqual([record.amount.minor, ending(record)], [3040n, 'SUCCESS']);
    assert.equal(stage.trace.count('screen: chooseOption'), 0);
  });

  for (const [why, fields] of [
    ['of a whole amount', { amount: { minor: 3000n, currency: 'HKD' } }],
    ['of an authorization', { type: 'AUTH' }],
  ] as const) {
    test(why, async () => {
      const answer = begin(fields);
      await present();
      assert.equal(ending(ended(await answer)), 'SUCCESS');
      assert.equal(stage.trace.count('screen: chooseOption'), 0);
    });
  }

  test('while the journal must stay readable for the version before', async () => {
    stage.journal.takes = (kind) => kind !== 'optionAnswered';
    const answer = begin();
    await present();
    assert.equal(ended(await answer).amount.minor, 3040n);
  });

  test('of cash, whose amount is final when it is tendered', async () => {
    const answer = begin({ preferredEntryMode: 'CASH' });
    await stage.trace.seen('screen: tenderCash');
    stage.act({ kind: 'tender', amount: '30.40' });
    assert.equal(ended(await answer).amount.minor, 3040n);
  });
});

test('a page that chooses what was not offered is not heard', async () => {
  const { answer } = await asked();
  for (const choice of ['maybe', '', '60', '__proto__']) await choose(choice);
  assert.deepEqual(kindsOf(stage), ['accepted']);
  stage.act({ kind: 'cancel' });
  assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
  assertClean(stage);
});

test('after a tip, the total with the tip is rounded up', async () => {
  const answer = begin({ askTip: true });
  await stage.trace.seen('screen: chooseTip');
  stage.act({ kind: 'tip', amount: '3.04' });
  await present(stripe);
  assert.equal(stage.views.at(-1)?.question?.choices[0]?.added, '0.56');
  await choose('yes');
  const record = ended(await answer);
  assert.deepEqual([record.amount.minor, record.request.tipMinor], [3400n, '304']);
  const { tip, additions } = receiptOf(record, receiptTerms);
  assert.deepEqual([tip?.minor, additions?.[0]?.amount.minor], [304n, 56n]);
});

describe('killed', () => {
  test('while it asks: nothing was sent, and the amount is that of the POS', async () => {
    await asked();
    await stage.restart();
    assert.equal(await enquired(stage), 'ERROR NONE');
    assert.deepEqual([durable(stage).amount.minor, stage.posted], [3040n, 0]);
  });

  test('after the answer: nothing was sent, and the answer is known', async () => {
    await asked();
    await choose('yes');
    await stage.restart();
    assert.equal(await enquired(stage), 'ERROR NONE');
    const { amount, options } = durable(stage);
    assert.deepEqual([amount.minor, options?.[0]?.addedMinor, stage.posted], [3100n, 60n, 0]);
  });

  test('at the host: the whole amount is reversed', async () => {
    const reversed: bigint[] = [];
    stage.edc.onRequest = () => new Promise(() => undefined);
    stage.edc.onReversal = ({ amount }) => {
      reversed.push(amount.minor);
      return { kind: 'acknowledged', responseCode: '00' };
    };
    await asked(stripe);
    await choose('yes');
    await stage.trace.seen('EDC: sale');
    await stage.restart();
    await settled();
    assert.deepEqual(reversed, [3100n]);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
  });
});

test('an answer that can not be written: nothing is sent, and the POS is told', async () => {
  const { answer } = await asked(stripe);
  stage.journal.fault = (_call, operation) => operation === 'append';
  await choose('yes');
  assert.equal(ending(ended(await answer)), 'DATABASE_ERROR NONE');
  assert.equal(stage.posted, 0);
});

test('is refunded and voided with the donation, and reported with a sum of its own', async () => {
  const sold = await roundedUp();
  const tooMuch = await stage.terminal.pay(about('REFUND', 'M-2', sold, { amount: { minor: 3101n, currency: 'HKD' } }));
  assert.equal(tooMuch.kind === 'refused' && tooMuch.refusal.reason, 'aboveOriginal');
  const part = await stage.terminal.pay(about('VOID', 'M-3', sold, { amount: { minor: 3040n, currency: 'HKD' } }));
  assert.equal(part.kind === 'refused' && part.refusal.reason, 'notWholeAmount');
  const turn = stage.trace.count('reader: armed') + 1;
  const refund = stage.terminal.pay(about('REFUND', 'M-4', sold));
  await present(stripe, turn);
  assert.equal(ending(ended(await refund)), 'SUCCESS');
  const other = await roundedUp('M-5');
  const batch = new Batch();
  for (const messageId of ['M-1', 'M-4', 'M-5']) batch.add(durable(stage, messageId));
  assert.deepEqual(optionTotals(batch.items), [{ name: 'roundUp', currency: 'HKD', count: 2, minor: 120n }]);
  assert.equal(batch.totals('HKD').sales.minor, 6200n);
  assert.equal(ending(ended(await stage.terminal.pay(about('VOID', 'M-6', other)))), 'SUCCESS');
});

test('a tip that is adjusted later is a percentage of the sale without the donation', async () => {
  const sold = await roundedUp();
  const adjusted = (messageId: string, minor: bigint) =>
    stage.terminal.pay(about('TIP_ADJUST', messageId, sold, { amount: { minor, currency: 'HKD' } }));
  const refused = await adjusted('M-2', 3709n);
  assert.equal(refused.kind === 'refused' && refused.refusal.reason, 'tipTooHigh', '20 % of 30.40 are 6.08');
  assert.equal(ending(ended(await adjusted('M-3', 3708n))), 'SUCCESS');
});

test('has a line of its own on the receipt, in its language', async () => {
  const record = await roundedUp();
  for (const [language, line] of [
    ['en', /^DONATION +HKD 0\.60$/m],
    ['zh-Hant', /^慈善捐款 +HKD 0\.60$/m],
  ] as const) {
    const text = receiptText(receiptLines(receiptOf(record, { ...receiptTerms, language }), 48), 48);
    assert.match(text, line);
    assert.match(text, /HKD 30\.40$/m);
    assert.match(text, /HKD 31\.00/);
  }
});

const shop = { name: 'Harbour Tea House', address: '', phone: '', email: '' };
const receiptTerms = { copy: 'CUSTOMER', duplicate: false, shop, timeZone: 'Asia/Hong_Kong', language: 'en' } as const;

function approved() {
  const reported = { approvalCode: '123456', rrn: '000000000001', hostTime: '120000', hostDate: '0101' };
  return { kind: 'approved', responseCode: '00', ...reported, issuerData: new Map<string, Uint8Array>() } as const;
}
