import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** Both hosts take UnionPay cards: EDC for the tea house, CUP for the bookshop. Cash is shared. */
const merchants = [
  { id: 'tea', name: 'Harbour Tea House', address: '1 Pier Road' },
  { id: 'books', name: 'Harbour Books', address: '2 Pier Road', phone: '2345 6789' },
];
const numbers = { tea: ['EDC', '12345678', '123456789012345'], books: ['CUP', '87654321', '543210987654321'] };

let stage: Stage;
before(async () => {
  stage = await Stage.open({
    configuration: { merchants },
    acquirers: { EDC: { merchant: 'tea' }, CUP: { merchant: 'books' } },
  });
});
after(() => stage.close());

function paidFor(merchantId: string | undefined, fields: Json = {}): Promise<HttpAnswer> {
  return stage.paid('unionpay', { ...(merchantId === undefined ? {} : { merchantId }), ...fields });
}

function takerOf({ body }: HttpAnswer): Json {
  const { acquirerId, acquirerTid, acquirerMid } = body.transactionResult;
  return [acquirerId, acquirerTid, acquirerMid];
}

function refer(transactionType: string, { body }: HttpAnswer, fields: Json = {}): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId, transactionResult } = body;
  const requestAmount = transactionResult.totalAmount;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId, ...fields }));
}

async function receiptOf({ body }: HttpAnswer): Promise<string> {
  const { terminalTransactionId } = body;
  return (await stage.post('receipt', { posId: 'POS-1', terminalTransactionId, output: 'TEXT' })).body.text;
}

async function asked(path: string): Promise<Json> {
  return (await fetch(`${stage.apiUrl}/sp/v1/${path}`)).json();
}

async function list(query: string): Promise<Json[]> {
  return (await asked(`transactions?${query}`)).transactions;
}

async function report(query: string): Promise<Json> {
  return asked(`report?${query}`);
}

test('capabilities list the merchants, the default first', async () => {
  const { merchants: reported } = await asked('capabilities');
  assert.deepEqual(
    reported,
    merchants.map(({ id, name }) => ({ id, name })),
  );
});

test('each merchant’s sale has its own numbers, its own receipt, and its void and refund go back there', async () => {
  const tea = await paidFor(undefined, { requestAmount: 30 });
  const books = await paidFor('books', { requestAmount: 50 });
  assert.deepEqual([tea.body.merchantId, takerOf(tea)], ['tea', numbers.tea]);
  assert.deepEqual([books.body.merchantId, takerOf(books)], ['books', numbers.books]);
  assert.match(await receiptOf(tea), /Harbour Tea House\s+1 Pier Road/);
  assert.match(await receiptOf(books), /Harbour Books\s+2 Pier Road\s+2345 6789/);

  const other = await refer('VOID', books, { merchantId: 'tea' });
  assert.deepEqual([other.status, other.body.reason], [422, 'decidedByOriginal']);
  const voided = await refer('VOID', books);
  assert.deepEqual([voided.body.responseResult, voided.body.merchantId], ['SUCCESS', 'books']);
  assert.deepEqual(takerOf(voided), numbers.books);
  const refunding = refer('REFUND', tea, { merchantId: 'tea' });
  await stage.tap('unionpay');
  const refund = await refunding;
  assert.deepEqual([refund.body.responseResult, refund.body.merchantId], ['SUCCESS', 'tea']);
  assert.deepEqual(takerOf(refund), numbers.tea);
});

test('a merchant that is not there is refused by every call, and nothing begins', async () => {
  const payment = await stage.payment(stage.saleRequest({ merchantId: 'shoes' }));
  const settled = await stage.post('settlement', { posId: 'POS-1', messageId: 'S-shoes', merchantId: 'shoes' });
  const listed = await fetch(`${stage.apiUrl}/sp/v1/transactions?merchantId=shoes`);
  const reported = await fetch(`${stage.apiUrl}/sp/v1/report?merchantId=shoes`);
  const answers = [payment, settled, { status: listed.status, body: await listed.json() }];
  for (const { status, body } of [...answers, { status: reported.status, body: await reported.json() }])
    assert.deepEqual([status, body.reason, body.errors[0].pointer], [422, 'merchantUnknown', '/merchantId']);
  const pair = { posId: 'POS-1', messageId: 'S-pair', merchantId: 'tea', acquirer: 'CUP' };
  assert.equal((await stage.post('settlement', pair)).body.reason, 'acquirerUnknown');
});

test('the same messageId for another merchant is another request', async () => {
  const { request, answer } = stage.begun({ preferredInstrument: 'CARD', merchantId: 'books', requestAmount: 12 });
  await stage.tap('unionpay');
  const first = await answer;
  assert.deepEqual(await stage.payment(request), first);
  assert.equal((await stage.payment({ ...request, merchantId: 'tea' })).status, 409);
});

test('a running payment names its merchant, and is in the list of this one alone', async () => {
  const { request, answer } = stage.begun({ preferredInstrument: 'CARD', merchantId: 'books' });
  const { posId, messageId } = request;
  const enquired = await eventually(
    () => stage.post('enquiry', { posId, messageId }),
    ({ body }) => body.step === 'presentingCard',
  );
  assert.deepEqual([enquired.body.responseResult, enquired.body.merchantId], ['PROCESSING', 'books']);
  const running = async (merchantId: string) =>
    (await list(`merchantId=${merchantId}&state=PROCESSING`)).map((each) => each.merchantId);
  assert.deepEqual([await running('books'), await running('tea')], [['books'], []]);
  await stage.tap('unionpay');
  assert.equal((await answer).body.responseResult, 'SUCCESS');
});

test('lists and reports of one merchant', async () => {
  const before = [(await list('merchantId=tea')).length, (await list('merchantId=books')).length];
  await paidFor('books', { requestAmount: 7.5 });
  const [last] = await list('merchantId=books&limit=1');
  assert.deepEqual([last.merchantId, last.transactionResult.totalAmount], ['books', 7.5]);
  assert.deepEqual(
    [(await list('merchantId=tea')).length, (await list('merchantId=books')).length],
    [before[0], (before[1] ?? 0) + 1],
  );
  const books = await report('merchantId=books&format=csv');
  assert.equal(books.onlyMerchantId, 'books');
  assert.ok(books.batches.every((each: Json) => each.merchantId !== 'tea'));
  assert.deepEqual([...new Set(books.merchantId.map(({ name }: Json) => name))], ['books']);
  assert.match(books.csv, /^merchantId,books,HKD,/m);
  const all = await report('');
  assert.deepEqual(new Set(all.merchantId.map(({ name }: Json) => name)), new Set(['books', 'tea']));
});

test('settlement of one merchant: its batch alone, with its header on the paper', async () => {
  await paidFor('tea', { requestAmount: 21 });
  await paidFor('books', { requestAmount: 22 });
  const one = await stage.post('settlement', { posId: 'POS-1', messageId: 'S-1', merchantId: 'books' });
  assert.deepEqual([one.body.responseResult, one.body.merchantId], ['SUCCESS', 'books']);
  assert.deepEqual(
    one.body.settlements.map(({ acquirer, merchantId, acquirerTid, result }: Json) => [
      acquirer,
      merchantId,
      acquirerTid,
      result,
    ]),
    [['CUP', 'books', '87654321', 'BALANCED']],
  );
  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('SETTLEMENT'),
  );
  const sheet = paper.slice(paper.lastIndexOf('SETTLEMENT') - 400);
  assert.match(sheet, /Harbour Books/);
  assert.equal((await stage.post('enquiry', { posId: 'POS-1', messageId: 'S-1' })).body.merchantId, 'books');
  // The other merchant’s batch is still open.
  const open = await report('merchantId=tea');
  assert.ok(open.batches.some((each: Json) => each.acquirer === 'EDC' && each.totals.length > 0));
  const all = await stage.post('settlement', { posId: 'POS-1', messageId: 'S-2' });
  const results = all.body.settlements.map(({ acquirer, merchantId }: Json) => [acquirer, merchantId]);
  assert.ok(results.some((each: Json) => each[0] === 'EDC' && each[1] === 'tea'));
  assert.deepEqual(await stage.unexpected(), []);
});

test('after a restart everything is still the merchant’s', async () => {
  const { body } = await paidFor('books', { requestAmount: 9 });
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const { posId, messageId } = body;
  const found = (await stage.post('enquiry', { posId, messageId })).body;
  assert.deepEqual([found.merchantId, found.transactionResult.acquirerTid], ['books', '87654321']);
});
