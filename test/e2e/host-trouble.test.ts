import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

/** The outcome is ERROR, money has moved at most for a moment, and in the end nothing stays posted. */
async function assertReversed(answer: { status: number; body: Json }): Promise<void> {
  const { status, body } = answer;
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.transactionResult.tranStatus, 'ERROR');
  assert.ok(['REVERSED', 'REVERSAL_PENDING'].includes(body.financialImpact), body.financialImpact);
  const { posId, messageId } = body;
  const enquiry = await eventually(
    () => stage.post('enquiry', { posId, messageId }),
    ({ body: { financialImpact } }) => financialImpact === 'REVERSED',
  );
  assert.equal(enquiry.body.terminalTransactionId, body.terminalTransactionId);
  assert.deepEqual(await stage.posted(), []);
  assert.deepEqual(
    (await stage.ledger()).map((entry) => entry.status),
    ['REVERSED'],
  );
}

for (const mode of ['silent', 'closeAfterRequest', 'garbage']) {
  test(`host ${mode}: the unknown outcome is reversed`, async () => {
    await stage.host('EDC', { mode });
    await assertReversed(await stage.paid('visa'));
  });
}

test('host overtaken: a posting after its reversal found no record is reversed all the same', async () => {
  await stage.host('EDC', { mode: 'overtaken' });
  const { body } = await stage.paid('visa');
  assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'REVERSAL_PENDING']);
  assert.equal((await stage.posted()).length, 1);
  await stage.host('EDC', { mode: 'up' });
  // The next sale does not wait for the grace: the host is asked again before it.
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.deepEqual(
    (await stage.ledger()).map((entry) => entry.status),
    ['REVERSED', 'POSTED'],
  );
  const { posId, messageId } = body;
  assert.equal((await stage.post('enquiry', { posId, messageId })).body.financialImpact, 'REVERSED');
});

test('host late: the late approval is reversed and changes nothing', async () => {
  await stage.host('EDC', { mode: 'late', delayMs: 1_000 });
  await assertReversed(await stage.paid('visa'));
  // The late answer comes on the same connection before the next sale's, or behind it.
  await stage.host('EDC', { mode: 'up' });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 1);
  // What was approved late is reversed once more, while the host still has it in its books.
  await eventually(
    () => Promise.resolve(stage.log),
    (log) => log.includes('"late approval"'),
  );
  await eventually(
    () => stage.status(),
    ({ pendingReversals }) => pendingReversals === 0,
  );
});

test('host duplicate: two answers, one sale', async () => {
  await stage.host('EDC', { mode: 'duplicate' });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 2);
});

test('host down: ERROR and NONE at once, and the next sale goes through when it is up', async () => {
  await stage.host('EDC', { mode: 'down' });
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.financialImpact, 'NONE');
  assert.match(body.message, /host-down/);
  await stage.host('EDC', { mode: 'up' });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
});

test('no new payment passes a reversal: it is sent first, or the payment is not', async () => {
  await stage.host('EDC', { mode: 'silent', reversals: true });
  const first = (await stage.paid('visa')).body;
  assert.equal(first.financialImpact, 'REVERSAL_PENDING');
  assert.equal((await stage.status()).pendingReversals, 1);

  const second = (await stage.paid('visa')).body;
  assert.equal(second.responseResult, 'ERROR');
  assert.equal(second.financialImpact, 'NONE');
  assert.match(second.message, /reversals-pending/);

  await stage.host('EDC', { mode: 'up' });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.status()).pendingReversals, 0);
  assert.deepEqual(
    (await stage.ledger()).map((entry) => entry.status),
    ['REVERSED', 'POSTED'],
  );
});

test('the customer of a silent host has a slip: what becomes of the money, and what to ask with', async () => {
  await stage.host('EDC', { mode: 'silent', reversals: true });
  const { body } = await stage.paid('visa');
  assert.equal(body.financialImpact, 'REVERSAL_PENDING');
  const { terminalTransactionId } = body;
  const paper = await eventually(
    () => stage.paper(),
    (text) => /CUSTOMER COPY[^]*NOTHING WILL BE CHARGED/.test(text),
  );
  // Receipts of the payments before may come out first.
  const slip = paper.slice(paper.lastIndexOf('CUSTOMER COPY'));
  assert.match(slip, /30\.00[^]*ERROR[^]*IT IS BEING TAKEN BACK\s+NOTHING WILL BE CHARGED/);
  assert.ok(slip.includes(terminalTransactionId));
  assert.doesNotMatch(slip, /APPROVED/);
  const { text } = (await stage.post('receipt', { terminalTransactionId, output: 'TEXT', language: 'zh-Hant' })).body;
  assert.match(text, /交易現正沖正\s+不會扣款/);

  // Taken back before the customer leaves: there is nothing to ask for.
  await stage.host('EDC', { mode: 'silent' });
  await stage.sim('DELETE', '/api/printer/paper');
  const back = (await stage.paid('visa')).body;
  assert.deepEqual([back.financialImpact, back.receiptStatus], ['REVERSED', 'NOT_PRINTED']);
});

test('an advice that is answered for another amount holds up no payment, and the bank decides', async () => {
  const sold = await stage.paid('visa');
  assert.equal(sold.body.responseResult, 'SUCCESS');
  await stage.host('EDC', { extraFields: { 4: '000000003500' } });
  const tip = await stage.post('payment', {
    posId: 'POS-1',
    messageId: 'other-amount',
    transactionType: 'TIP_ADJUST',
    requestAmount: 33,
    currency: 'HKD',
    originalTerminalTransactionId: sold.body.terminalTransactionId,
  });
  const { body } = await eventually(
    () => stage.enquiry(tip.body),
    (enquiry) => enquiry.body.reason === 'doubtfulAtHost',
  );
  assert.match(body.message, /the terminal sent 33\.00 HKD, but the host answered 35\.00 HKD \(code 00\)/);
  assert.ok(stage.log.includes('sent for 33.00 HKD, answered for 35.00 HKD'));
  await stage.host('EDC', {});
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.status()).pendingAdvices, 0);
});
