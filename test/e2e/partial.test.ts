import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** EDC may approve a part; CUP does so without `partialApproval`. */
let stage: Stage;
before(async () => {
  stage = await Stage.open({ acquirers: { EDC: { partialApproval: true, brands: ['VISA', 'MASTER'] } } });
});
after(() => stage.close());
afterEach(async () => {
  for (const id of ['EDC', 'CUP'] as const) await stage.host(id, { mode: 'up' });
  assert.deepEqual(await stage.unexpected(), []);
});

function refer(transactionType: string, { body }: HttpAnswer, requestAmount: number): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId } = body;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId }));
}

async function coveredSale(fields: Json = {}): Promise<HttpAnswer> {
  await stage.host('EDC', { coversMinor: 2000 });
  const paid = await stage.paid('visa', { requestAmount: 30, allowPartial: true, ...fields });
  await stage.host('EDC', { mode: 'up' });
  return paid;
}

test('a part is a success of that part, and the rest is paid by a request that names it', async () => {
  const first = await coveredSale();
  assert.equal(first.body.responseResult, 'SUCCESS');
  const { totalAmount, requestedAmount, remainingAmount, hostCode } = first.body.transactionResult;
  assert.deepEqual([totalAmount, requestedAmount, remainingAmount, hostCode], [20, 30, 10, '10']);
  const [posting] = await stage.posted();
  assert.deepEqual([posting.amount, posting.status], ['20.00', 'POSTED']);
  const splitOf = first.body.terminalTransactionId;
  const rest = await stage.paid('mastercard', { requestAmount: remainingAmount, splitOf });
  assert.deepEqual([rest.body.responseResult, rest.body.splitOf], ['SUCCESS', splitOf]);
  const found = (await stage.enquiry(rest.body)).body;
  assert.equal(found.splitOf, splitOf);
  const text = (await stage.post('receipt', { posId: 'POS-1', terminalTransactionId: splitOf, output: 'TEXT' })).body
    .text;
  assert.match(text, /20\.00/);
  assert.doesNotMatch(text, /30\.00/);
});

test('its void is of the part', async () => {
  const first = await coveredSale();
  assert.equal((await refer('VOID', first, 30)).body.reason, 'notWholeAmount');
  assert.equal((await refer('VOID', first, 20)).body.responseResult, 'SUCCESS');
});

test('its refund is at most the part, and its batch agrees with the host', async () => {
  const first = await coveredSale();
  assert.equal((await refer('REFUND', first, 20.01)).body.reason, 'aboveOriginal');
  const settled = await stage.settle();
  const edc = settled.body.settlements.find(({ acquirer }: Json) => acquirer === 'EDC');
  assert.equal(edc.result, 'BALANCED');
});

test('a request that does not allow it is reversed, with what the card covers', async () => {
  const { body } = await coveredSale({ allowPartial: false });
  assert.deepEqual([body.responseResult, body.reason], ['ERROR', 'cardCoversOnly']);
  assert.match(body.message, /the card covers only HKD 20\.00/);
  assert.match(body.text.en, /HKD 20\.00/);
  const now = await eventually(
    () => stage.enquiry(body),
    (each) => each.body.financialImpact === 'REVERSED',
  );
  assert.equal(now.body.reason, 'cardCoversOnly');
  const ledger = await stage.ledger();
  assert.deepEqual([ledger.at(-1).status, ledger.at(-1).amount], ['REVERSED', '20.00']);
});

test('an acquirer that is not set up for it: reversed as an answer about another amount', async () => {
  await stage.host('CUP', { coversMinor: 2000 });
  const { body } = await stage.paid('unionpay', { requestAmount: 30, allowPartial: true });
  assert.deepEqual([body.responseResult, body.reason], ['ERROR', 'garbledAnswer']);
  await eventually(
    () => stage.enquiry(body),
    (each) => each.body.financialImpact === 'REVERSED',
  );
});

test('a chip agrees to the part; without it, the part is taken back', async () => {
  await stage.host('EDC', { coversMinor: 2000 });
  const { answer } = stage.begun({ requestAmount: 30, allowPartial: true });
  await stage.insert('visa');
  const { body } = await answer;
  assert.deepEqual([body.responseResult, body.transactionResult.totalAmount], ['SUCCESS', 20]);
  await stage.sim('POST', '/api/reader/remove', {});
});

test('what contradicts it is refused', async () => {
  const amount = { requestAmount: 30 };
  for (const [fields, status, pointer] of [
    [{ ...amount, allowPartial: true, tipAmount: 3 }, 400, '/allowPartial'],
    [{ ...amount, allowPartial: true, askTip: true }, 400, '/allowPartial'],
    [{ ...amount, allowPartial: true, transactionType: 'AUTH' }, 400, '/allowPartial'],
    [{ ...amount, splitOf: '01M850XWYMZ8HNEYCK3PDV79HV' }, 422, '/splitOf'],
    [{ ...amount, splitOf: 'x', transactionType: 'REFUND' }, 400, '/splitOf'],
  ] as const) {
    const { status: answered, body } = await stage.payment(stage.saleRequest(fields));
    assert.deepEqual([answered, body.errors[0].pointer], [status, pointer], JSON.stringify(fields));
  }
});
