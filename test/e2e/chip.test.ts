import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byCard, type CardName } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
let reported: Posting[] = [];
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 1_500 }, configuration: { printer: undefined } });
});
after(() => stage.close());
afterEach(async () => {
  const books = reported;
  reported = [];
  try {
    await stage.host('EDC', { mode: 'up' });
    await drained(stage);
    await assertHostsAgree(stage, books);
    await stage.assertDisarmed();
    assert.deepEqual(await stage.unexpected(), []);
  } finally {
    await stage.sim('POST', '/api/reset', {});
  }
});

function keep({ body }: HttpAnswer, card: CardName = 'visa', entry: 'insert' | 'fallback' = 'insert'): Json {
  if (body.responseResult === 'SUCCESS') reported.push(booked('SALE', byCard(card, entry), 3_000, body));
  return body;
}

/** The host had posted it, and in the end it is reversed. */
async function assertReversed(body: Json, result: string): Promise<void> {
  assert.equal(body.responseResult, result, body.message);
  await eventually(
    () => stage.enquiry(body),
    (enquiry) => enquiry.body.financialImpact === 'REVERSED',
  );
  assert.deepEqual(
    (await stage.ledger()).map(({ status }) => status),
    ['REVERSED'],
  );
}

for (const card of ['visa', 'mastercard', 'amex', 'jcb'] as const) {
  test(`${card}: approved by host and card, and the receipt has the card’s certificate`, async () => {
    const { body } = await stage.paid(byCard(card, 'insert'));
    keep({ status: 200, body }, card);
    assert.equal(body.transactionResult.entryMode, 'CHIP');
    const { terminalTransactionId } = body;
    const receipt = await stage.post('receipt', { terminalTransactionId, output: 'TEXT' });
    assert.match(receipt.body.text, /TC +[0-9A-F]{16}/);
  });
}

test('the screen says to leave the card in, and later to take it out', async () => {
  const screen = await stage.scenes();
  await stage.host('EDC', { mode: 'up', delayMs: 600 });
  const { answer } = stage.begun();
  await stage.insert('visa');
  await stage.view(({ scene }) => scene === 'processing');
  assert.equal((await stage.bench()).reader.insertedCard, 'visa');
  keep(await answer);
  assert.equal((await stage.view(({ scene }) => scene === 'approved')).hint, 'removeCard');
  await screen.until('approved');
  assert.equal((await stage.bench()).reader.insertedCard, undefined);
});

test('the card refuses what its issuer approved: declined, and reversed', async () => {
  const { answer } = stage.begun();
  await stage.fault('reader', { cardRefuses: true });
  await stage.insert('visa');
  await assertReversed((await answer).body, 'DECLINED');
});

describe('while the host authorizes', () => {
  test('the card is taken out: ERROR, and reversed', async () => {
    await stage.host('EDC', { mode: 'up', delayMs: 600 });
    const { answer } = stage.begun();
    await stage.insert('visa');
    await eventually(
      () => stage.posted(),
      (posted) => posted.length === 1,
    );
    await stage.does('/api/reader/remove');
    await assertReversed((await answer).body, 'ERROR');
  });

  test('the reader is unplugged: ERROR, and reversed', async () => {
    await stage.host('EDC', { mode: 'up', delayMs: 600 });
    const { answer } = stage.begun();
    await stage.insert('visa');
    await eventually(
      () => stage.posted(),
      (posted) => posted.length === 1,
    );
    await stage.fault('reader', { unplug: true });
    await assertReversed((await answer).body, 'ERROR');
    await stage.fault('reader', { unplug: false });
    await eventually(
      () => stage.status(),
      ({ ready }) => ready,
    );
  });

  for (const mode of ['silent', 'closeAfterRequest', 'garbage']) {
    test(`the host is ${mode}: the card is released, and the payment is reversed`, async () => {
      await stage.host('EDC', { mode });
      const { body } = await stage.paid(byCard('visa', 'insert'));
      await assertReversed(body, 'ERROR');
      assert.equal((await stage.bench()).reader.insertedCard, undefined);
    });
  }

  test('the host declines: the card gets the decline', async () => {
    await stage.host('EDC', { decline: '51' });
    const { body } = await stage.paid(byCard('visa', 'insert'));
    assert.deepEqual([body.responseResult, body.responseCode, body.financialImpact], ['DECLINED', 1051, 'NONE']);
    assert.equal((await stage.bench()).reader.insertedCard, undefined);
  });

  for (const script of ['71', '72'] as const) {
    test(`the host sends a script ${script} with its decline: the card gets code, authentication data and script, and it stays declined`, async () => {
      await stage.host('EDC', { decline: '05', script });
      const { body } = await stage.paid(byCard('visa', 'insert'));
      assert.deepEqual([body.responseResult, body.responseCode, body.financialImpact], ['DECLINED', 1005, 'NONE']);
      assert.deepEqual((await stage.bench()).reader.chipHeard, { responseCode: '05', objects: ['91', script] });
    });

    test(`the host sends a script ${script} with its approval`, async () => {
      await stage.host('EDC', { script });
      const { body } = await stage.paid(byCard('visa', 'insert'), {});
      keep({ status: 200, body });
      assert.deepEqual((await stage.bench()).reader.chipHeard, { responseCode: '00', objects: ['91', script] });
    });
  }

  test('the host is down: the card gets Z3', async () => {
    await stage.host('EDC', { mode: 'down' });
    const { body } = await stage.paid(byCard('visa', 'insert'));
    assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
    assert.equal((await stage.bench()).reader.insertedCard, undefined);
  });
});

test('a chip that can’t be read: the screen asks for its stripe, which is sent as fallback', async () => {
  const { answer } = stage.begun();
  await stage.fault('reader', { chipFails: true });
  await stage.insert('visa');
  await stage.view(({ hint }) => hint === 'swipeCard');
  await stage.swipe('visa');
  const body = keep(await answer, 'visa', 'fallback');
  assert.equal(body.transactionResult.entryMode, 'FALLBACK');
});

test('over the contactless limit: the antenna is off, and the chip pays', async () => {
  await stage.fault('reader', { overLimit: true });
  const { answer } = stage.begun();
  await stage.tap('visa');
  await stage.view(({ hint }) => hint === 'insertCard');
  const { reader } = await eventually(
    () => stage.bench(),
    (bench) => bench.reader.armed,
  );
  assert.deepEqual(reader.interfaces, ['chip', 'stripe']);
  assert.deepEqual(await stage.ledger(), []);
  await stage.insert('visa');
  assert.equal(keep(await answer).transactionResult.entryMode, 'CHIP');
  assert.equal((await stage.posted()).length, 1);
});

test('over the contactless limit, then a cancel: the next card may be tapped again', async () => {
  await stage.fault('reader', { overLimit: true });
  const { answer, request } = stage.begun();
  await stage.tap('visa');
  await stage.view(({ hint }) => hint === 'insertCard');
  assert.equal((await stage.cancel(request)).body.responseResult, 'SUCCESS');
  const { body } = await answer;
  assert.deepEqual([body.responseResult, body.financialImpact], ['TRANSACTION_ALREADY_CANCEL', 'NONE']);
  const next = await stage.paid('visa');
  assert.equal(next.body.responseResult, 'SUCCESS');
  reported.push(booked('SALE', byCard('visa'), 3_000, next.body));
});

for (const [fault, hint] of [
  ['collision', 'oneCardOnly'],
  ['cardLost', 'holdCard'],
] as const) {
  test(`${fault}: all interfaces stay armed, and the card pays once`, async () => {
    await stage.fault('reader', { [fault]: true });
    const { answer } = stage.begun();
    await stage.tap('visa');
    await stage.view((view) => view.hint === hint);
    const { reader } = await eventually(
      () => stage.bench(),
      (bench) => bench.reader.armed,
    );
    assert.deepEqual(reader.interfaces.toSorted(), ['chip', 'contactless', 'stripe']);
    await stage.tap('visa');
    const { body } = await answer;
    assert.equal(body.transactionResult.entryMode, 'CONTACTLESS');
    reported.push(booked('SALE', byCard('visa'), 3_000, body));
    assert.equal((await stage.posted()).length, 1);
  });
}

for (const decline of ['65', '70']) {
  test(`${decline} for a contactless card: it must be inserted, and pays once`, async () => {
    await stage.host('EDC', { decline });
    const { answer } = stage.begun();
    await stage.tap('visa');
    await stage.view(({ hint }) => hint === 'insertCard');
    await stage.host('EDC', { mode: 'up' });
    const { reader } = await eventually(
      () => stage.bench(),
      (bench) => bench.reader.armed,
    );
    assert.deepEqual(reader.interfaces, ['chip', 'stripe']);
    await stage.insert('visa');
    assert.equal(keep(await answer).transactionResult.entryMode, 'CHIP');
    assert.equal((await stage.posted()).length, 1);
  });

  test(`${decline} for an inserted card ends the payment`, async () => {
    await stage.host('EDC', { decline });
    const { body } = await stage.paid(byCard('visa', 'insert'));
    assert.equal(body.responseCode, 1000 + Number(decline));
  });
}

test('65, and the customer cancels then: nothing is posted', async () => {
  await stage.host('EDC', { decline: '65' });
  const { answer, request } = stage.begun();
  await stage.tap('visa');
  await stage.view(({ hint }) => hint === 'insertCard');
  assert.equal((await stage.cancel(request)).body.responseResult, 'SUCCESS');
  const { body } = await answer;
  assert.deepEqual([body.responseResult, body.financialImpact], ['TRANSACTION_ALREADY_CANCEL', 'NONE']);
});

test('the stripe of a chip card: the screen asks for the chip', async () => {
  const { answer } = stage.begun();
  await stage.swipe('visa');
  await stage.view(({ hint }) => hint === 'insertCard');
  assert.deepEqual(await stage.ledger(), []);
  await stage.insert('visa');
  assert.equal(keep(await answer).transactionResult.entryMode, 'CHIP');
});

test('an auth and a refund by chip have the card’s certificate too', async () => {
  for (const transactionType of ['AUTH', 'REFUND'] as const) {
    const { body } = await stage.paid(byCard('visa', 'insert'), { transactionType });
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    reported.push(booked(transactionType, byCard('visa', 'insert'), 3_000, body));
  }
});
