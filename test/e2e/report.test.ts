import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { byCash, byEps, byScannedCode } from './customer.ts';
import { http, type Json, Stage } from './stage.ts';

/** Reports of batches. The oracle is what the hosts have booked, summed here. */

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

async function report(query = ''): Promise<Json> {
  const { status, body } = await http('GET', `${stage.apiUrl}/sp/v1/report${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Cents of the postings of a card host that stand, by kind. */
async function booked(host: 'EDC' | 'CUP' | 'EPS', kinds: readonly string[]): Promise<number> {
  const postings: Json[] = await stage.posted(host);
  return postings
    .filter(({ kind }) => kinds.includes(kind))
    .reduce((sum: number, { amount }) => sum + Math.round(Number(amount) * 100), 0);
}

const cents = (amount: number) => Math.round(amount * 100);
const sumOf = (rows: readonly Json[], field: string) => rows.reduce((sum, row) => sum + cents(row[field]), 0);

test('the open batches agree with the hosts’ books, by method, POS and cashier; closed they are told the same', async () => {
  const sale = async (way: Parameters<Stage['paid']>[0], fields: Json) => {
    const { body } = await stage.paid(way, fields);
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    return body.terminalTransactionId as string;
  };
  const about = async (transactionType: string, original: string, requestAmount: number) => {
    const fields = { transactionType, originalTerminalTransactionId: original, requestAmount };
    const { body } = await stage.payment(stage.saleRequest(fields));
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
  };
  const ann = { cashierId: 'Ann, "A"' };
  const first = await sale('visa', { requestAmount: 30, ...ann });
  const second = await sale('mastercard', { requestAmount: 20.55, cashierId: '=1+1' });
  const voided = await sale('visa', { requestAmount: 99, ...ann });
  await about('VOID', voided, 99);
  await about('TIP_ADJUST', first, 33.1);
  await sale('unionpay', { requestAmount: 12.34, posId: 'POS-2' });
  await sale('visa', { transactionType: 'REFUND', requestAmount: 5 });
  await sale('visa', { transactionType: 'AUTH', requestAmount: 70 });
  await sale('mastercard', { transactionType: 'REFUND', requestAmount: 0.55, originalTerminalTransactionId: second });
  await sale(byScannedCode('ALIPAY'), { requestAmount: 8 });
  await sale(byEps('CURRENT'), { requestAmount: 150, cashbackAmount: 100 });
  await sale(byCash('200'), { requestAmount: 180.2 });

  const open = await report();
  const method = (name: string): Json => open.paymentMethod.find((row: Json) => row.name === name);
  const cards = ['VISA', 'MASTER'].map(method);
  assert.equal(sumOf(cards, 'salesAmount'), await booked('EDC', ['SALE', 'OFFLINE_SALE', 'AUTH_COMP']));
  assert.equal(sumOf(cards, 'refundsAmount'), await booked('EDC', ['REFUND']));
  assert.equal(cents(method('UNIONPAY').salesAmount), await booked('CUP', ['SALE']));
  assert.equal(cents(method('EPS').salesAmount), await booked('EPS', ['SALE']));
  assert.deepEqual(
    [method('VISA'), method('MASTER'), method('ALIPAY'), method('CASH')].map((row) => [
      row.salesCount,
      row.salesAmount,
      row.refundsAmount,
      row.tipAmount,
      row.finalAmount,
      row.refundedAmount,
    ]),
    [
      [1, 33.1, 5, 3.1, 33.1, 0],
      [1, 20.55, 0.55, 0, 0, 0.55],
      [1, 8, 0, 0, 0, 0],
      [1, 180.2, 0, 0, 0, 0],
    ],
  );
  for (const grouping of ['posId', 'cashierId'])
    for (const field of ['salesAmount', 'refundsAmount', 'tipAmount', 'finalAmount', 'refundedAmount'])
      assert.equal(sumOf(open[grouping], field), sumOf(open.paymentMethod, field), `${grouping} ${field}`);
  assert.deepEqual(open.cashierId.map(({ name, salesAmount }: Json) => [name, salesAmount]).slice(1), [
    ['=1+1', 20.55],
    ['Ann, "A"', 33.1],
  ]);
  assert.deepEqual(open.cash, [{ currency: 'HKD', amount: 80.2 }]);
  const edc = open.batches.find(({ acquirer }: Json) => acquirer === 'EDC');
  assert.deepEqual(
    [edc.isOpen, edc.unreadable, edc.openAuths, edc.voids, edc.unresolved],
    [
      true,
      0,
      [{ transactionType: 'AUTH', currency: 'HKD', count: 1, totalAmount: 70 }],
      [{ transactionType: 'VOID_SALE', currency: 'HKD', count: 1, totalAmount: 99 }],
      [],
    ],
  );
  assert.deepEqual(open.cashBack, [{ currency: 'HKD', count: 1, amount: 100 }]);
  const ofKind = (name: string): Json => open.method.find((row: Json) => row.name === name);
  assert.equal(ofKind('card').salesAmount, sumOf([...cards, method('UNIONPAY')], 'salesAmount') / 100);
  assert.deepEqual([ofKind('wallet').salesAmount, ofKind('eps').salesCount, ofKind('cash').salesAmount], [8, 1, 180.2]);
  for (const field of ['salesAmount', 'refundsAmount', 'tipAmount'])
    assert.equal(sumOf(open.total, field), sumOf(open.paymentMethod, field), `total ${field}`);

  const { csv } = await report('?format=csv');
  const lines: string[] = csv.split('\r\n');
  assert.equal(
    lines[0],
    'by,name,currency,salesCount,salesAmount,refundsCount,refundsAmount,tipAmount,count,amount,finalAmount,refundedAmount',
  );
  for (const line of [
    'paymentMethod,VISA,HKD,1,33.10,1,5.00,3.10,,,33.10,0.00',
    'paymentMethod,MASTER,HKD,1,20.55,1,0.55,0.00,,,0.00,0.55',
    `cashierId,"Ann, ""A""",HKD,1,33.10,0,0.00,3.10,,,33.10,0.00`,
    `cashierId,'=1+1,HKD,1,20.55,0,0.00,0.00,,,0.00,0.55`,
    'voids,VOID_SALE,HKD,,,,,,1,99.00,,',
    'openAuths,AUTH,HKD,,,,,,1,70.00,,',
    'cashBack,,HKD,,,,,,1,100.00,,',
    'cash,,HKD,,,,,,,80.20,,',
  ])
    assert.ok(lines.includes(line), `${line}\n${csv}`);

  await stage.settle();
  const settled = (await report(`?acquirer=EDC&batch=${edc.batch}`)).batches[0];
  assert.deepEqual({ ...settled, isOpen: true }, edc);
  assert.equal(settled.isOpen, false);
  const next = await report('?acquirer=EDC');
  assert.deepEqual([next.batches[0].totals, next.paymentMethod, next.cash], [[], [], []]);
  assert.ok(next.batches[0].batch !== edc.batch);
});

test('a report that can’t be made is refused with the field', async () => {
  const refused = async (query: string) => {
    const { status, body } = await http('GET', `${stage.apiUrl}/sp/v1/report${query}`);
    return [status, body.reason, body.errors?.[0]?.pointer ?? body.errors?.[0]?.path];
  };
  assert.deepEqual(
    [
      await refused('?batch=1'),
      await refused('?acquirer=NOBODY'),
      await refused('?acquirer=EDC&batch=999999'),
      await refused('?acquirer=EDC&batch=0'),
      await refused('?format=pdf'),
      await refused('?cashier=Ann'),
    ].map(([status, reason]) => [status, reason]),
    [
      [400, 'fieldMissing'],
      [422, 'acquirerUnknown'],
      [404, 'batchUnknown'],
      [400, 'fieldInvalid'],
      [400, 'fieldInvalid'],
      [400, 'fieldUnknown'],
    ],
  );
});

test('who opened the drawer without a sale: in the X report, then in the Z report of that batch alone', async () => {
  await stage.settle();
  assert.equal((await stage.paid(byCash('50'), { requestAmount: 18 })).body.responseResult, 'SUCCESS');
  const sold = await report();
  assert.deepEqual([sold.drawerSales, sold.drawerOpenings], [1, []], 'a sale opens it too');
  const opening = { posId: 'POS-7', messageId: 'D-1', cashierId: 'Ann' };
  for (const each of [opening, opening, { ...opening, messageId: 'D-2' }]) {
    assert.equal((await stage.post('drawer/open', each)).body.responseResult, 'SUCCESS');
  }
  const open = await report('?format=csv');
  assert.deepEqual(open.drawerOpenings, [{ posId: 'POS-7', cashierId: 'Ann', count: 2 }]);
  assert.equal(open.drawerSales, 1);
  for (const line of ['drawerSales,,,,,,,,1,,,', 'drawerOpenings,POS-7 Ann,,,,,,,2,,,']) {
    assert.ok(open.csv.split('\r\n').includes(line), open.csv);
  }
  const { drawerSales, drawerOpenings } = await report('?acquirer=EDC');
  assert.deepEqual([drawerSales, drawerOpenings], [0, []]);
  const { batch } = open.batches.find(({ acquirer }: Json) => acquirer === 'CASH');
  await stage.settle();
  const next = await report();
  assert.deepEqual([next.drawerSales, next.drawerOpenings], [0, []]);
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const closed = await report(`?acquirer=CASH&batch=${batch}`);
  assert.deepEqual([closed.drawerSales, closed.drawerOpenings], [1, open.drawerOpenings]);
});
