import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byCard, byEps, epsPin, type Way } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** A reader that was keyed for AES DUKPT: nothing that anybody is told is different. */
let stage: Stage;
let reported: Posting[] = [];
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 700 }, configuration: { printer: undefined }, key: 'aes' });
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
    const { ksn, pinKsn } = (await stage.bench()).reader;
    assert.deepEqual([ksn.length, pinKsn.length], [24, 24]);
  } finally {
    await stage.sim('POST', '/api/reset', {});
  }
});

function keep({ body }: HttpAnswer, way: Way): Json {
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  reported.push(booked('SALE', way, 3_000, body));
  return body;
}

for (const way of [
  byCard('visa'),
  byCard('mastercard'),
  byCard('visa', 'insert'),
  byCard('unionpay', 'fallback'),
  byEps('SAVINGS'),
]) {
  test(`a sale by ${way.name}`, async () => {
    keep(await stage.paid(way), way);
  });
}

test('a wrong PIN is asked for again, the right one pays once', async () => {
  const way = byEps('CURRENT');
  const { answer } = stage.begun(way.request);
  await stage.swipe('eps');
  await stage.act('chooseAccount', { kind: 'account', account: 'CURRENT' });
  await stage.enterPin('0000');
  await stage.view(({ hint }) => hint === 'wrongPin');
  await stage.enterPin(epsPin);
  keep(await answer, way);
});

test('three wrong PINs: declined, as with a TDES key', async () => {
  const { answer } = stage.begun(byEps().request);
  await stage.swipe('eps');
  await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
  for (const pin of ['0000', '1111', '2222']) await stage.enterPin(pin);
  assert.equal((await answer).body.responseCode, 1075);
});

for (const way of [byCard('visa'), byCard('visa', 'insert'), byEps()]) {
  test(`a silent host, ${way.name}: the reversal names the card by its number under the same key`, async () => {
    const host = way.acquirer === 'EPS' ? 'EPS' : 'EDC';
    await stage.host(host, { mode: 'silent' });
    const { body } = await stage.paid(way);
    assert.equal(body.responseResult, 'ERROR');
    await eventually(
      () => stage.enquiry(body),
      (enquiry) => enquiry.body.financialImpact === 'REVERSED',
    );
    assert.deepEqual(
      (await stage.ledger(host)).map(({ status }) => status),
      ['REVERSED'],
    );
  });
}

test('a void names the card by its number, and a settlement agrees', async () => {
  const { body } = await stage.paid(byCard('visa'));
  const originalTerminalTransactionId = body.terminalTransactionId;
  const voided = await stage.payment(stage.saleRequest({ transactionType: 'VOID', originalTerminalTransactionId }));
  assert.equal(voided.body.responseResult, 'SUCCESS', voided.body.message);
  assert.deepEqual(
    (await stage.ledger()).map(({ status }) => status),
    ['VOIDED'],
  );
  reported.push(booked('SALE', byCard('visa'), 3_000, body, { status: 'VOIDED' }));
});
