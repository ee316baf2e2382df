import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { http, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC'] });
});
after(() => stage.close());
afterEach(async () => assert.deepEqual(await stage.unexpected(), []));

/** GET /sp/v1/transactions. */
async function listed(query: string): Promise<Json> {
  const { status, body } = await http('GET', `${stage.apiUrl}/sp/v1/transactions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const idsOf = ({ transactions }: Json): string[] => transactions.map((each: Json) => each.terminalTransactionId);

test('a list in pages: each as its enquiry tells it, across a restart, and nothing missed while others sell', async () => {
  const sold: string[] = [];
  for (const requestAmount of [10, 20, 30, 40, 50]) {
    sold.unshift(
      (await stage.paid('visa', { requestAmount, posReference: `T-${requestAmount}` })).body.terminalTransactionId,
    );
  }
  const voided = await stage.payment(
    stage.saleRequest({ transactionType: 'VOID', originalTerminalTransactionId: sold[0], requestAmount: 50 }),
  );
  assert.equal(voided.body.responseResult, 'SUCCESS');
  const all = [voided.body.terminalTransactionId, ...sold];

  const first = await listed('limit=2');
  assert.deepEqual(idsOf(first), all.slice(0, 2));
  assert.equal(first.transactions[1].transactionResult.tranStatus, 'VOIDED');
  for (const each of first.transactions) assert.deepEqual(each, (await stage.enquiry(each)).body);
  assert.deepEqual(idsOf(await listed('state=VOIDED')), [sold[0]]);

  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const { terminalTransactionId: newer } = (await stage.paid('mastercard')).body;
  const second = await listed(`limit=3&cursor=${first.nextCursor}`);
  const third = await listed(`limit=3&cursor=${second.nextCursor}`);
  assert.deepEqual([...idsOf(first), ...idsOf(second), ...idsOf(third)], all);
  assert.equal(third.nextCursor, undefined);
  assert.deepEqual(idsOf(await listed('last=true')), [newer]);

  const [oldest] = third.transactions;
  const { createTime } = oldest.transactionResult;
  assert.ok(idsOf(await listed(`since=${createTime}`)).includes(oldest.terminalTransactionId));
  assert.equal(oldest.posReference, 'T-10');
});

test('the payment that runs is in the list while it runs', async () => {
  const { request, answer } = stage.begun();
  await stage.view(({ scene }) => scene === 'chooseMethod');
  const { transactions } = await listed('state=PROCESSING');
  assert.partialDeepStrictEqual(transactions, [{ messageId: request.messageId, state: 'collecting' }]);
  await stage.cancel(request);
  await answer;
});

test('the terminal’s own id is enough for an enquiry; a settlement has no receipt and can’t be cancelled', async () => {
  const { body: sold } = await stage.paid('visa');
  const byId = ({ terminalTransactionId }: Json) => stage.post('enquiry', { terminalTransactionId });
  assert.deepEqual(await byId(sold), await stage.enquiry(sold));
  // A payment's own request may be sent: its identity counts.
  const both = await stage.post('enquiry', { ...sold, terminalTransactionId: '01M7YQ1WHV0000000000000000' });
  assert.equal(both.body.terminalTransactionId, sold.terminalTransactionId);

  const { body: settled } = await stage.settle();
  assert.equal(settled.responseResult, 'SUCCESS');
  assert.deepEqual((await byId(settled)).body, settled);
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  assert.deepEqual((await byId(settled)).body, settled);

  const refusals = await Promise.all([
    stage.cancel(settled),
    stage.post('receipt', { terminalTransactionId: settled.terminalTransactionId, output: 'TEXT' }),
    stage.post('receipt', { posId: settled.posId, messageId: settled.messageId, output: 'TEXT' }),
    stage.post('enquiry', { terminalTransactionId: '01M7YQ1WHV0000000000000000' }),
    stage.post('enquiry', { posId: 'POS-1' }),
  ]);
  assert.deepEqual(
    refusals.map(({ status, body }) => [status, body.reason]),
    [
      [409, 'settlementNotCancellable'],
      [422, 'receiptOfSettlement'],
      [422, 'receiptOfSettlement'],
      [404, 'beforeJournal'],
      [400, 'fieldMissing'],
    ],
  );
});
