import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { http, type HttpAnswer, type Json, Stage } from './stage.ts';

/**
 * Authorizations of cards that have no AUTH_COMP (SPEC's table). The oracle is the book of their host: what is held, what
 * is taken, and what is free again.
 */

let stage: Stage;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC'] });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

/** A new hold, and the request that made it. */
async function held(card: string, amount = 30): Promise<{ request: Json; id: string }> {
  const request = stage.saleRequest({ transactionType: 'AUTH', requestAmount: amount });
  const answer = stage.payment(request);
  await stage.tap(card);
  const { body } = await answer;
  assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
  return { request, id: body.terminalTransactionId };
}

function refer(transactionType: string, originalTerminalTransactionId: string, requestAmount: number, more: Json = {}) {
  return stage.payment(stage.saleRequest({ transactionType, originalTerminalTransactionId, requestAmount, ...more }));
}

async function statusOf(request: Json): Promise<string> {
  return (await stage.enquiry(request)).body.transactionResult.tranStatus;
}

async function book(): Promise<string[]> {
  return (await stage.ledger()).map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);
}

function refusalOf({ status, body }: HttpAnswer): [number, string, string] {
  return [status, body.reason, body.financialImpact];
}

for (const card of ['visa', 'mastercard', 'amex', 'jcb']) {
  test(`${card}: an offline sale takes a part of the hold, without the card, once`, async () => {
    const { request, id } = await held(card);
    const { status, body } = await refer('OFFLINE_SALE', id, 25);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.originalTerminalTransactionId, id);
    assert.equal(await statusOf(request), 'COMPLETED');
    assert.deepEqual(refusalOf(await refer('OFFLINE_SALE', id, 5)), [422, 'originalCompleted', 'NONE']);
    assert.deepEqual(refusalOf(await refer('VOID', id, 30)), [422, 'originalCompleted', 'NONE']);
    const { body: settled } = await stage.settle();
    assert.equal(settled.settlementResult?.[0]?.result ?? settled.responseResult, 'SUCCESS', JSON.stringify(settled));
    assert.deepEqual(await book(), ['AUTH 30.00 COMPLETED', 'AUTH_COMP 25.00 POSTED']);
  });
}

test('a void releases the hold, once; nothing takes it afterwards', async () => {
  const { request, id } = await held('visa');
  const { body } = await refer('VOID', id, 30);
  assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
  assert.equal(await statusOf(request), 'RELEASED');
  const { body: list } = await http('GET', `${stage.apiUrl}/sp/v1/transactions?state=RELEASED`);
  assert.deepEqual(
    list.transactions.map((each: Json) => each.terminalTransactionId),
    [id],
  );
  assert.deepEqual(refusalOf(await refer('VOID', id, 30)), [422, 'originalReleased', 'NONE']);
  assert.deepEqual(refusalOf(await refer('OFFLINE_SALE', id, 30)), [422, 'originalReleased', 'NONE']);
  assert.deepEqual(await book(), ['AUTH 30.00 VOIDED']);
});

test('what asks for more than is held, or in another way, is refused, and the hold stands', async () => {
  const { request, id } = await held('visa', 100);
  assert.deepEqual(
    [
      refusalOf(await refer('OFFLINE_SALE', id, 115.01)),
      refusalOf(await refer('OFFLINE_SALE', id, 100, { currency: 'USD' })),
      refusalOf(await refer('OFFLINE_SALE', id, 100, { tipAmount: 5 })),
      refusalOf(await refer('OFFLINE_SALE', id, 100, { approvalCode: '123456' })),
    ].map(([, reason, impact]) => [reason, impact]),
    [
      ['aboveCompletion', 'NONE'],
      ['currencyOfOriginal', 'NONE'],
      ['fieldMisplaced', 'NONE'],
      ['fieldMisplaced', 'NONE'],
    ],
  );
  assert.equal(await statusOf(request), 'APPROVED');
  assert.deepEqual(await book(), ['AUTH 100.00 POSTED']);
});

test('a release whose answer is lost is taken back: the hold stands, and may be taken', async () => {
  const { request, id } = await held('visa');
  await stage.host('EDC', { mode: 'silent' });
  const { body } = await refer('VOID', id, 30);
  assert.equal(body.responseResult, 'ERROR', JSON.stringify(body));
  await stage.host('EDC', { mode: 'up' });
  assert.equal(await statusOf(request), 'APPROVED');
  assert.equal((await refer('OFFLINE_SALE', id, 30)).body.responseResult, 'SUCCESS');
  await stage.settle();
  assert.deepEqual(await book(), ['AUTH 30.00 COMPLETED', 'AUTH_COMP 30.00 POSTED']);
});

test('capabilities tell how an authorization is completed and released', async () => {
  const { body } = await http('GET', `${stage.apiUrl}/sp/v1/capabilities`);
  const visa = body.methods.flatMap(({ schemes }: Json) => schemes).find((each: Json) => each.paymentMethod === 'VISA');
  assert.deepEqual(visa.authorizations, { completedBy: 'OFFLINE_SALE', releasedBy: 'VOID' });
});
