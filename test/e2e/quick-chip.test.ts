import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byCard, type CardName } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** A reader that ends a chip's part by itself: the card hears Z3, gives its refusal, and the host alone decides. */
let stage: Stage;
let reported: Posting[] = [];
before(async () => {
  const configuration = { printer: undefined };
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 1_500 }, configuration, flags: ['--quick-chip'] });
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

function keep({ body }: HttpAnswer, card: CardName = 'visa'): Json {
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  reported.push(booked('SALE', byCard(card, 'insert'), 3_000, body));
  return body;
}

for (const card of ['visa', 'amex'] as const) {
  test(`${card}: its refusal after Z3 does not reverse the host’s approval`, async () => {
    const body = keep(await stage.paid(byCard(card, 'insert')), card);
    assert.equal(body.transactionResult.entryMode, 'CHIP');
    assert.deepEqual((await stage.bench()).reader.chipHeard, { responseCode: 'Z3', objects: [] });
  });
}

test('the screen says to take the card out before the host has answered', async () => {
  await stage.host('EDC', { mode: 'up', delayMs: 600 });
  const { answer } = stage.begun();
  await stage.insert('visa');
  await stage.view(({ hint }) => hint === 'removeCard');
  const { reader } = await stage.bench();
  assert.deepEqual([reader.insertedCard, reader.chipWaits], [undefined, false]);
  keep(await answer);
});

test('the host declines: declined, and the card gets nothing', async () => {
  await stage.host('EDC', { decline: '51', script: '72' });
  const { body } = await stage.paid(byCard('visa', 'insert'));
  assert.deepEqual([body.responseCode, body.financialImpact], [1051, 'NONE']);
  assert.equal((await stage.bench()).reader.chipHeard.responseCode, 'Z3');
});

test('the host is silent: reversed, as with any card', async () => {
  await stage.host('EDC', { mode: 'silent' });
  const { body } = await stage.paid(byCard('visa', 'insert'));
  assert.equal(body.responseResult, 'ERROR');
  await eventually(
    () => stage.enquiry(body),
    (enquiry) => enquiry.body.financialImpact === 'REVERSED',
  );
});

test('the reader vanishes while the host authorizes: approved all the same', async () => {
  await stage.host('EDC', { mode: 'up', delayMs: 600 });
  const { answer } = stage.begun();
  await stage.insert('visa');
  await eventually(
    () => stage.posted(),
    (posted) => posted.length === 1,
  );
  await stage.fault('reader', { unplug: true });
  keep(await answer);
  await stage.fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ ready }) => ready,
  );
});

test('one payment after the other: nothing waits between them', async () => {
  for (let paid = 0; paid < 3; paid++) keep(await stage.paid(byCard('visa', 'insert')));
});
