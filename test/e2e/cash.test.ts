import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { byCash, byEps } from './customer.ts';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
  await eventually(
    () => stage.status(),
    ({ devices, waitingReceipts }) => devices.printer.fault === 'none' && waitingReceipts === 0,
  );
});

async function kicks(): Promise<number> {
  return (await stage.bench()).printer.drawerKicks;
}

/** The till opened this often, and no more. */
async function assertKicked(count: number): Promise<void> {
  await eventually(kicks, (kicked) => kicked >= count);
  assert.equal(await kicks(), count);
}

test('more than the sum: change is told to POS and customer, the till opens, the receipt says so', async () => {
  const { body } = await stage.paid(byCash('50'), { requestAmount: 32.4 });
  const { transactionResult: result } = body;
  assert.equal(body.responseResult, 'SUCCESS');
  assert.deepEqual([result.totalAmount, result.tenderedAmount, result.changeAmount], [32.4, 50, 17.6]);
  assert.deepEqual([result.acquirerMid, result.acquirerTid, result.maskedPan, result.approvalCode], ['', '', '', '']);
  const view = await stage.view();
  assert.deepEqual([view.scene, view.tendered, view.change], ['approved', '50.00', '17.60']);
  await assertKicked(1);
  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('cut]'),
  );
  for (const line of ['HKD 32.40', 'CASH', '50.00', '17.60']) assert.ok(paper.includes(line), `${line}\n${paper}`);
});

test('exactly the sum, in every currency: no change', async () => {
  for (const [before, [currency, requestAmount]] of (
    [
      ['HKD', 0.01],
      ['JPY', 1000],
      ['KWD', 1.234],
    ] as const
  ).entries()) {
    const { body } = await stage.paid(byCash(), { currency, requestAmount });
    const { totalAmount, tenderedAmount, changeAmount } = body.transactionResult;
    assert.deepEqual([totalAmount, tenderedAmount, changeAmount], [requestAmount, requestAmount, 0]);
    await assertKicked(before + 1);
  }
});

test('cancelled: the till stays shut', async () => {
  const { request, answer } = stage.begun(byCash().request);
  await stage.view(({ scene }) => scene === 'tenderCash');
  await stage.cancel(request);
  assert.equal((await answer).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(await kicks(), 0);
});

for (const [name, wrong] of [
  ['out of paper', { paperOut: true }],
  ['unplugged', { unplug: true }],
] as const) {
  test(`printer ${name}: cash is taken all the same`, async () => {
    await stage.fault('printer', wrong);
    const { body } = await stage.paid(byCash('40'));
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal((await stage.status()).waitingReceipts, 1);
  });
}

test('the same POST again: the same answer, and the till does not open twice', async () => {
  const { request, answer } = stage.begun(byCash().request);
  await byCash('30').present(stage);
  const first = await answer;
  await assertKicked(1);
  const again = await stage.payment(request);
  // It may have been printed meanwhile.
  assert.deepEqual({ ...again, body: { ...again.body, receiptStatus: first.body.receiptStatus } }, first);
  assert.equal(await kicks(), 1);
});

test('settled: the till’s totals, without the change', async () => {
  // What the tests before took is settled first.
  await stage.settle({ acquirer: 'CASH' });
  for (const [requestAmount, tendered] of [
    [12.3, '20'],
    [7.7, '7.7'],
    [100, '500'],
  ] as const) {
    assert.equal((await stage.paid(byCash(tendered), { requestAmount })).body.responseResult, 'SUCCESS');
  }
  const { settlements } = (await stage.settle({ acquirer: 'CASH' })).body;
  const totals: Json = [{ transactionType: 'SALE', currency: 'HKD', count: 3, totalAmount: 120 }];
  assert.partialDeepStrictEqual(settlements, [{ acquirer: 'CASH', result: 'BALANCED', totals }]);
});

test('cash back of EPS opens the till once, and a sale without it leaves it shut', async () => {
  const plain = await stage.paid(byEps('SAVINGS'));
  assert.equal(plain.body.responseResult, 'SUCCESS', plain.body.message);
  const { body } = await stage.paid(byEps('SAVINGS'), { requestAmount: 130, cashbackAmount: 100 });
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  await assertKicked(1);
});
