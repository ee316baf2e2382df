import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byEps, epsPin, type Way } from './customer.ts';
import { type Begun, eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
let reported: Posting[] = [];
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 600 }, configuration: { printer: undefined } });
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

const way = byEps('SAVINGS');

function keep({ body }: HttpAnswer, by: Way = way, more: Partial<Posting> & { cents?: number } = {}): Json {
  if (body.responseResult === 'SUCCESS') reported.push(booked('SALE', by, more.cents ?? 3_000, body, more));
  return body;
}

/** The card is drawn through, an account chosen, and the pad waits. */
async function asked(fields: Json = {}, account = 'SAVINGS'): Promise<Begun> {
  const begun = stage.begun({ ...way.request, ...fields });
  await stage.swipe('eps');
  await stage.act('chooseAccount', { kind: 'account', account });
  await stage.view(({ scene }) => scene === 'enterPin');
  return begun;
}

async function enterWrong(pin: string): Promise<void> {
  await stage.enterPin(pin);
}

test('account and PIN: the account is debited, and the answer says which', async () => {
  for (const account of ['SAVINGS', 'CURRENT'] as const) {
    const { body } = await stage.paid(byEps(account));
    assert.equal(keep({ status: 200, body }, byEps(account)).responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.account, account);
    assert.equal(body.transactionResult.maskedPan, '************8453');
  }
});

test('another currency than Hong Kong dollars: 105 before anything starts, and nothing is booked', async () => {
  const { status, body } = await stage.payment(
    stage.saleRequest({ preferredInstrument: 'EPS', currency: 'JPY', requestAmount: 3000 }),
  );
  assert.equal(status, 422);
  assert.deepEqual([body.responseResult, body.responseCode], ['INVALID_CURRENCY', 105]);
  assert.equal(body.errors[0].pointer, '/currency');
  assert.equal(body.financialImpact, 'NONE');
});

test('a wrong PIN, and then the right one: asked again, told so, paid once', async () => {
  const { answer } = await asked();
  await enterWrong('0000');
  const view = await stage.view(({ hint }) => hint === 'wrongPin');
  assert.equal(view.scene, 'enterPin');
  // The page says it before the pad has been asked.
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.pinPad.again,
  );
  await stage.enterPin(epsPin);
  assert.equal(keep(await answer).responseResult, 'SUCCESS');
});

test('three wrong PINs: declined with the host’s code, and the card stays blocked', async () => {
  const { answer } = await asked();
  for (const pin of ['0000', '1111', '222222']) await enterWrong(pin);
  const { body } = await answer;
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.responseCode, 1075);
  assert.equal(body.financialImpact, 'NONE');
  assert.match(body.message, /PIN tries exceeded/);
  assert.equal((await stage.paid(way)).body.responseCode, 1075);
});

describe('nobody enters a PIN', () => {
  for (const tries of [0, 1, 2]) {
    test(`the pad’s cancel key after ${tries} wrong ones: cancelled, nothing posted`, async () => {
      const { answer } = await asked();
      for (let wrong = 0; wrong < tries; wrong++) {
        await enterWrong('0000');
        await stage.view(({ hint }) => hint === 'wrongPin');
      }
      await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
      const { body } = await answer;
      assert.equal(body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
      assert.equal(body.financialImpact, 'NONE');
    });
  }

  test('in time: TIMEOUT', async () => {
    const hasty = await Stage.open({ configuration: { printer: undefined, timeouts: { pinMs: 1_000 } } });
    try {
      const { answer } = hasty.begun(way.request);
      await hasty.swipe('eps');
      await hasty.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
      const { body } = await answer;
      assert.equal(body.responseResult, 'TIMEOUT');
      assert.equal(body.financialImpact, 'NONE');
      await hasty.assertDisarmed();
      assert.deepEqual(await hasty.unexpected(), []);
    } finally {
      await hasty.close();
    }
  });
});

test('with cash back: part of the total, in the host’s books and in the settlement', async () => {
  const { answer } = await asked({ requestAmount: 150, cashbackAmount: 100 }, 'CURRENT');
  assert.equal((await stage.view()).cashback, '100.00');
  await stage.enterPin(epsPin);
  const body = keep(await answer, byEps('CURRENT'), { cents: 15_000, cashbackCents: 10_000 });
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  assert.deepEqual([body.transactionResult.totalAmount, body.transactionResult.cashbackAmount], [150, 100]);
  const view = await stage.view(({ scene }) => scene === 'approved');
  assert.deepEqual([view.hint, view.cashback], ['takeCash', '100.00']);
});

test('too little in the account: declined', async () => {
  await stage.host('EPS', { decline: '51' });
  const { body } = await stage.paid(way);
  assert.deepEqual([body.responseResult, body.responseCode], ['DECLINED', 1051]);
});

for (const mode of ['silent', 'closeAfterRequest', 'garbage']) {
  for (const cashback of [{}, { requestAmount: 130, cashbackAmount: 100 }]) {
    test(`host ${mode} ${JSON.stringify(cashback)}: the unknown outcome is reversed`, async () => {
      await stage.host('EPS', { mode });
      const { body } = await stage.paid(way, cashback);
      assert.equal(body.responseResult, 'ERROR');
      await eventually(
        () => stage.enquiry(body),
        (enquiry) => enquiry.body.financialImpact === 'REVERSED',
      );
      assert.deepEqual(
        (await stage.ledger('EPS')).map(({ status }) => status),
        ['REVERSED'],
      );
    });
  }
}

test('a wrong PIN, and the host is silent at the right one: reversed', async () => {
  const { answer } = await asked();
  await enterWrong('0000');
  await stage.view(({ hint }) => hint === 'wrongPin');
  await stage.host('EPS', { mode: 'silent' });
  await stage.enterPin(epsPin);
  const { body } = await answer;
  assert.equal(body.responseResult, 'ERROR');
  await eventually(
    () => stage.enquiry(body),
    (enquiry) => enquiry.body.financialImpact === 'REVERSED',
  );
});

test('the host is down: nothing was sent, and no PIN either', async () => {
  await stage.host('EPS', { mode: 'down' });
  const { body } = await stage.paid(way);
  assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
});

test('another bank card, swiped: its PIN decides', async () => {
  const { answer } = stage.begun(way.request);
  await stage.swipe('visa');
  await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
  await stage.enterPin('1234');
  // This card's issuer knows no PIN, so that no PIN is right.
  await stage.view(({ hint }) => hint === 'wrongPin');
  await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
  assert.equal((await answer).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
});

test('the EPS card for a card payment: no acquirer takes it, nothing is sent', async () => {
  const { answer } = stage.begun({ preferredEntryMode: 'CARD' });
  await stage.swipe('eps');
  const { body } = await answer;
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.financialImpact, 'NONE');
  for (const id of ['EDC', 'CUP'] as const) assert.deepEqual(await stage.ledger(id), []);
});
