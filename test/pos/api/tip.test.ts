import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal, parseJson } from '../../../src/pos/api/input.ts';
import { parsePosRequest, requestDigest } from '../../../src/pos/api/pos-request.ts';
import { assertRefused } from './refused.ts';
import { everyMethod, type Json, sale, served } from './served.ts';

const tips = { percents: [10, 15], amounts: { HKD: [500], JPY: [100] }, ownAmount: false, percentMax: 20 };
const shop = { ...everyMethod, tips };

const parsed = (fields: Json) => parsePosRequest(parseJson(JSON.stringify({ ...sale, ...fields })));

for (const transactionType of ['SALE', 'OFFLINE_SALE']) {
  test(`${transactionType}: the terminal is asked to ask, and the amount is without tip`, async (t) => {
    const { terminal, pay } = await served(t, shop);
    await pay({ transactionType, askTip: true });
    assert.equal(terminal.paid[0]?.askTip, true);
    assert.equal(terminal.paid[0]?.amount.minor, 3000n);
    assert.equal(terminal.paid[0]?.tipMinor, undefined);
  });
}

for (const askTip of [false, null, '', undefined]) {
  test(`askTip ${JSON.stringify(askTip)}: nothing is asked, and it is the same request as without`, async (t) => {
    const { terminal, pay } = await served(t);
    await pay({ askTip });
    assert.equal(terminal.paid.length, 1);
    assert.equal('askTip' in (terminal.paid[0] ?? {}), false);
    const [one, other] = [parsed({ askTip }), parsed({})];
    assert.ok(!isRefusal(one) && !isRefusal(other));
    assert.equal(requestDigest(one), requestDigest(other));
  });
}

test('a request that asks is another one than a request that does not', () => {
  const [one, other] = [parsed({ askTip: true }), parsed({})];
  assert.ok(!isRefusal(one) && !isRefusal(other));
  assert.notEqual(requestDigest(one), requestDigest(other));
});

describe('refused before anything starts, with the field and the reason', () => {
  const original = { originalTerminalTransactionId: 'T-1' };
  for (const [what, fields, status, message, reason] of [
    ['no truth value', { askTip: 1 }, 400, 'must be true or false', 'fieldInvalid'],
    ['a word', { askTip: 'true' }, 400, 'must be true or false', 'fieldInvalid'],
    [
      'with tipAmount',
      { tipAmount: 3 },
      400,
      "can't be given with tipAmount: either the POS knows the tip, or it asks",
      'fieldMisplaced',
    ],
    [
      'with cashbackAmount',
      { cashbackAmount: 10, preferredInstrument: 'EPS' },
      400,
      "can't be given with cashbackAmount: EPS takes no tip",
      'fieldMisplaced',
    ],
    ['for an authorization', { transactionType: 'AUTH' }, 400, "can't be given for AUTH", 'fieldMisplaced'],
    ['for a refund', { transactionType: 'REFUND' }, 400, "can't be given for REFUND", 'fieldMisplaced'],
    [
      'for the completion of an authorization',
      { transactionType: 'OFFLINE_SALE', ...original },
      400,
      "can't be given for the completion of an authorization",
      'fieldMisplaced',
    ],
    [
      'for EPS, which takes no tip',
      { preferredInstrument: 'EPS' },
      422,
      /^is not possible for this payment: with a tip, preferredInstrument is not possible for this payment; possible are /,
      'tipNotTaken',
    ],
    [
      'of an amount so small that its tips are nothing',
      { currency: 'USD', requestAmount: 0.01 },
      422,
      /^is not possible for this payment: the amount is too small/,
      'tipNotTaken',
    ],
  ] as const) {
    test(what, async (t) => {
      const { terminal, pay } = await served(t, shop);
      const answer = await pay({ askTip: true, ...fields });
      assertRefused(answer, status);
      const [error] = answer.json.errors;
      assert.deepEqual([error.pointer, error.reason, answer.json.reason], ['/askTip', reason, reason]);
      if (typeof message === 'string') assert.equal(error.message, message);
      else assert.match(error.message, message);
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('on a terminal that asks for no tips', async (t) => {
    const { terminal, pay } = await served(t, everyMethod);
    const answer = await pay({ askTip: true });
    assertRefused(answer, 422);
    assert.deepEqual(answer.json.errors, [
      {
        pointer: '/askTip',
        message: 'is not possible: this terminal has no tips to offer in HKD',
        reason: 'tipQuestionNotSetUp',
      },
    ]);
    assert.equal(terminal.paid.length, 0);
  });
});

test('capabilities tell what is offered, in major units; nothing where nobody is asked', async (t) => {
  const asking = await served(t, shop);
  const { json } = await asking.call({ method: 'GET', path: '/sp/v1/capabilities' });
  assert.deepEqual(json.tips, {
    percents: [10, 15],
    amounts: { HKD: [5], JPY: [100] },
    ownAmount: false,
    percentMax: 20,
  });
  const other = await served(t, everyMethod);
  const { json: answer } = await other.call({ method: 'GET', path: '/sp/v1/capabilities' });
  assert.equal('tips' in answer, false);
});
