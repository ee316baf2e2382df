import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byOctopus, type OctopusName } from './customer.ts';
import { type Begun, eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
let reported: Posting[] = [];
before(async () => {
  stage = await Stage.open({ configuration: { printer: undefined, timeouts: { octopusIncompleteMs: 2_000 } } });
});
after(() => stage.close());
afterEach(async () => {
  const books = reported;
  reported = [];
  try {
    await drained(stage);
    await assertHostsAgree(stage, books);
    await stage.assertDisarmed();
    assert.deepEqual(await stage.unexpected(), []);
  } finally {
    await stage.sim('POST', '/api/reset', {});
  }
});

const way = byOctopus();

function keep({ body }: HttpAnswer, card: OctopusName = 'octopus', cents = 3_000): Json {
  if (body.responseResult === 'SUCCESS') reported.push(booked('SALE', byOctopus(card), cents, body));
  return body;
}

async function purse(card: OctopusName): Promise<number> {
  const { octopus } = await stage.bench();
  return Number(octopus.cards.find(({ name }: Json) => name === card).balanceMinor);
}

async function octopusReady(): Promise<void> {
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.octopus.state === 'ready',
  );
}

test('the value goes from the card, and the customer sees what is left', async () => {
  const { answer } = stage.begun({ ...way.request, requestAmount: 12.3 });
  await stage.tapOctopus('octopus');
  const { transactionResult } = keep(await answer, 'octopus', 1_230);
  assert.deepEqual([transactionResult.balanceAmount, transactionResult.maskedPan], [487.7, '****0018']);
  const view = await stage.view(({ scene }) => scene === 'approved');
  assert.deepEqual([view.balance, view.amount], ['487.70', '12.30']);
});

test('too little on the card: declined, what is there is told, and nothing is taken', async () => {
  const { body } = await stage.paid(byOctopus('octopus-low'));
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.financialImpact, 'NONE');
  assert.equal(body.transactionResult.balanceAmount, 5.1);
  assert.deepEqual((await stage.view()).reported, { happened: 'noValue', money: 'charge-NONE', next: 'payOtherWay' });
  assert.equal(await purse('octopus-low'), 510);
});

test('a blocked card: declined, with the code of the Octopus company', async () => {
  const { body } = await stage.paid(byOctopus('octopus-blocked'));
  assert.deepEqual([body.responseResult, body.reason, body.hostCode], ['DECLINED', 'cardUnusable', '100019']);
  assert.equal(body.transactionResult.hostCode, '100019');
});

test('everything that is on the card', async () => {
  const { answer } = stage.begun({ ...way.request, requestAmount: 5.1 });
  await stage.tapOctopus('octopus-low');
  assert.equal(keep(await answer, 'octopus-low', 510).transactionResult.balanceAmount, 0);
});

test('a card that is pulled away before the deduction must be tapped again', async () => {
  const { answer } = stage.begun(way.request);
  await stage.fault('octopus', { readErrorNext: 'deduct' });
  await stage.tapOctopus('octopus');
  assert.equal(keep(await answer).responseResult, 'SUCCESS');
});

test('a read error after the value was taken: the card pays once, with one tap', async () => {
  const { answer } = stage.begun(way.request);
  await stage.fault('octopus', { readErrorNext: 'deducted' });
  await stage.tapOctopus('octopus');
  assert.equal(keep(await answer).responseResult, 'SUCCESS');
});

describe('incomplete (100022)', () => {
  /** The card was torn away in the middle of its deduction. */
  async function torn(incompleteNext: string): Promise<Begun> {
    const begun = stage.begun(way.request);
    await stage.fault('octopus', { incompleteNext });
    await stage.tapOctopus('octopus');
    const view = await stage.view(({ hint }) => hint === 'sameOctopusCard');
    assert.deepEqual([view.scene, view.cancellable, view.modes], ['tapOctopus', undefined, undefined]);
    return begun;
  }

  for (const taken of ['deducted', 'notDeducted']) {
    test(`${taken}: the same card completes it, once`, async () => {
      const { answer } = await torn(taken);
      await stage.tapOctopus('octopus');
      assert.equal(keep(await answer).responseResult, 'SUCCESS');
      assert.equal(await purse('octopus'), 47_000);
    });

    test(`${taken}: another card is left alone`, async () => {
      const { answer } = await torn(taken);
      const { status } = await stage.sim('POST', '/api/octopus/tap', { card: 'octopus-other' });
      assert.equal(status, 409);
      assert.equal(await purse('octopus-other'), 32_050);
      await stage.tapOctopus('octopus');
      assert.equal(keep(await answer).responseResult, 'SUCCESS');
    });

    test(`${taken}: pulled away twice, and it is still one deduction`, async () => {
      const { answer } = await torn(taken);
      await stage.fault('octopus', { incompleteNext: taken });
      await stage.tapOctopus('octopus');
      await stage.tapOctopus('octopus');
      assert.equal(keep(await answer).responseResult, 'SUCCESS');
      assert.equal(await purse('octopus'), 47_000);
    });

    test(`${taken}: a cancel does not end it`, async () => {
      const { request, answer } = await torn(taken);
      const cancel = await stage.cancel(request);
      assert.equal(cancel.status, 409);
      assert.equal(cancel.body.responseResult, 'INVALID_TRANSACTION_STATUS');
      await stage.act('tapOctopus', { kind: 'cancel' });
      await stage.act('tapOctopus', { kind: 'choose', mode: 'CASH' });
      await stage.tapOctopus('octopus');
      assert.equal(keep(await answer).responseResult, 'SUCCESS');
    });
  }
});

describe('the connection to the reader is lost', () => {
  test('in the middle of a deduction: the outcome is found once it is back', async () => {
    const { answer } = stage.begun(way.request);
    await stage.fault('octopus', { disconnectDuringDeduct: true });
    await stage.tapOctopus('octopus');
    assert.equal(keep(await answer).responseResult, 'SUCCESS');
    await octopusReady();
  });

  test('together with the agent: the outcome is found when the agent is back', async () => {
    const { answer } = stage.begun(way.request);
    await stage.fault('octopus', { disconnectDuringDeduct: true });
    await stage.tapOctopus('octopus');
    await stage.fault('octopus', { unplug: true });
    await stage.fault('octopus', { unplug: false });
    assert.equal(keep(await answer).responseResult, 'SUCCESS');
    await octopusReady();
  });

  test('for longer than a customer waits: UNKNOWN, and later the enquiry has the outcome', async () => {
    const { request, answer } = stage.begun(way.request);
    await stage.fault('octopus', { disconnectDuringDeduct: true });
    await stage.tapOctopus('octopus');
    await stage.fault('octopus', { unplug: true });
    const { body } = await answer;
    assert.equal(body.responseResult, 'UNKNOWN', body.message);
    assert.equal(body.financialImpact, 'UNKNOWN');
    await stage.fault('octopus', { unplug: false });
    const found = await eventually(
      () => stage.enquiry(request),
      (enquiry) => enquiry.body.responseResult !== 'UNKNOWN',
    );
    assert.equal(keep(found).responseResult, 'SUCCESS');
    assert.equal(found.body.transactionResult.balanceAmount, 470);
    await octopusReady();
  });
});

for (const [name, fault, money] of [
  ['and the value was taken', 'deducted', 3_000],
  ['and nothing was taken', 'notDeducted', 0],
] as const) {
  test(`the card never comes back, ${name}: UNKNOWN, and the next customer pays`, async () => {
    const lonely = await Stage.open({ configuration: { printer: undefined, timeouts: { octopusIncompleteMs: 100 } } });
    try {
      const { request, answer } = lonely.begun(way.request);
      await lonely.fault('octopus', { incompleteNext: fault });
      await lonely.tapOctopus('octopus');
      const { body } = await answer;
      assert.equal(body.responseResult, 'UNKNOWN', body.message);
      assert.equal(body.responseCode, 7);
      assert.equal(body.financialImpact, 'UNKNOWN');
      assert.match(body.hostCode, /^10002[25]$/);
      assert.equal((await lonely.view()).reported.money, 'charge-UNKNOWN');
      const { octopus } = await lonely.bench();
      assert.equal(Number(octopus.cards[0].balanceMinor), 50_000 - money);
      assert.equal((await lonely.enquiry(request)).body.responseResult, 'UNKNOWN');
      assert.equal((await lonely.paid(byOctopus('octopus-other'))).body.responseResult, 'SUCCESS');
      const { settlements } = (await lonely.settle({ acquirer: 'OCTOPUS' })).body;
      assert.deepEqual(settlements[0].totals, [
        { transactionType: 'SALE', currency: 'HKD', count: 1, totalAmount: 30 },
      ]);
      assert.deepEqual(await lonely.unexpected(), []);
    } finally {
      await lonely.close();
    }
  });
}

test('the card comes back after the payment has ended: a slip for the staff, then it is completed, once', async () => {
  const lonely = await Stage.open({ configuration: { timeouts: { octopusIncompleteMs: 100 } } });
  try {
    const { request, answer } = lonely.begun(way.request);
    await lonely.fault('octopus', { incompleteNext: 'notDeducted' });
    await lonely.tapOctopus('octopus');
    assert.equal((await answer).body.responseResult, 'UNKNOWN');
    const slip = await eventually(
      () => lonely.paper(),
      (paper) => paper.includes('MAY HAVE BEEN TAKEN'),
    );
    assert.match(slip, /\*{4}0018/);
    assert.match(slip, /HKD 30\.00/);
    await lonely.tapOctopus('octopus');
    const found = await eventually(
      () => lonely.enquiry(request),
      (enquiry) => enquiry.body.responseResult !== 'UNKNOWN',
    );
    assert.equal(found.body.responseResult, 'SUCCESS');
    const { octopus } = await lonely.bench();
    assert.equal(Number(octopus.cards[0].balanceMinor), 47_000);
    await eventually(
      () => lonely.paper(),
      (paper) => paper.includes('APPROVED'),
    );
    assert.deepEqual(await lonely.unexpected(), []);
  } finally {
    await lonely.close();
  }
});
