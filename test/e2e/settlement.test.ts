import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { acquirerNames, drained } from './books.ts';
import { byCard, byCash, byEps, byOctopus, byScannedCode, byShownCode } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  // Nothing is left in an open batch whose host forgets it now.
  await drained(stage);
  assert.equal((await stage.settle()).body.responseResult, 'SUCCESS');
  await stage.sim('POST', '/api/reset', {});
});

function refer(transactionType: string, original: Json, requestAmount: number): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId } = original;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId }));
}

async function settlements(id: 'EDC' | 'CUP' = 'EDC'): Promise<Json[]> {
  return (await stage.sim('GET', `/api/host/${id}/settlements`)).body;
}

test('a batch in balance: totals per kind, the next batch opens, the settled sale can’t be voided', async () => {
  const sale = (await stage.paid('visa', { requestAmount: 100 })).body;
  await refer('TIP_ADJUST', sale, 110);
  const voided = (await stage.paid('visa', { requestAmount: 7 })).body;
  assert.equal((await refer('VOID', voided, 7)).body.responseResult, 'SUCCESS');
  await stage.paid('mastercard', { transactionType: 'REFUND', requestAmount: 12.34 });
  const { batch } = sale.transactionResult;

  const request = { posId: 'POS-1', messageId: 'close of day' };
  const { status, body } = await stage.post('settlement', request);
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'SUCCESS');
  assert.equal(body.responseCode, 0);
  const edc = body.settlements.find((each: Json) => each.acquirer === 'EDC');
  assert.deepEqual(edc, {
    acquirer: 'EDC',
    acquirerMid: '123456789012345',
    acquirerTid: '12345678',
    batch,
    result: 'BALANCED',
    totals: [
      { transactionType: 'SALE', currency: 'HKD', count: 1, totalAmount: 110 },
      { transactionType: 'REFUND', currency: 'HKD', count: 1, totalAmount: 12.34 },
    ],
  });
  const [theirs] = await settlements();
  assert.equal(theirs.result, 'BALANCED');
  assert.deepEqual(theirs.terminal, theirs.host);

  const late = await refer('VOID', sale, 110);
  assert.equal(late.status, 422);
  assert.equal(late.body.responseResult, 'INVALID_TRANSACTION_STATUS');
  assert.match(late.body.message, /settled/);
  // The same request again: the same settlement, nothing sent.
  assert.deepEqual((await stage.post('settlement', request)).body, body);
  assert.equal((await settlements()).length, 1);
  // A refund may come after the settlement.
  const pending = stage.payment(
    stage.saleRequest({
      transactionType: 'REFUND',
      requestAmount: 110,
      originalTerminalTransactionId: sale.terminalTransactionId,
    }),
  );
  await stage.tap('visa');
  assert.equal((await pending).body.responseResult, 'SUCCESS');
  const next = (await stage.paid('visa')).body;
  assert.equal(next.transactionResult.batch, batch + 1);
  await eventually(
    () => stage.paper(),
    (paper) => paper.includes('SETTLEMENT') && paper.includes('BALANCED'),
  );
});

test('books that differ: the batch is uploaded, and the host takes it', async () => {
  await stage.paid('visa', { requestAmount: 20 });
  await stage.paid('amex', { requestAmount: 30.5 });
  await stage.host('EDC', { mode: 'up', mismatch: true });
  const { body } = await stage.settle({ acquirer: 'EDC' });
  assert.equal(body.settlements.length, 1);
  assert.equal(body.settlements[0].result, 'UPLOADED');
  assert.match(body.settlements[0].message, /may have transactions that this terminal does not have/);
  const last = (await settlements()).at(-1);
  assert.equal(last.result, 'UPLOADED');
  assert.equal(last.uploaded, 2);
  assert.deepEqual(last.differences, []);
});

test('a host that can not be reached: FAILED, it says why, and what is in the batch may be voided', async () => {
  const sale = (await stage.paid('visa', { requestAmount: 20 })).body;
  await stage.host('EDC', { mode: 'down' });
  const failed = (await stage.settle()).body;
  assert.equal(failed.responseResult, 'ERROR');
  assert.equal(failed.responseCode, 2);
  const edc = failed.settlements.find((each: Json) => each.acquirer === 'EDC');
  assert.equal(edc.result, 'FAILED');
  assert.match(edc.message, /reach/);
  assert.match(failed.message, /^EDC: /);
  await stage.host('EDC', { mode: 'up' });
  assert.equal((await refer('VOID', sale, 20)).body.responseResult, 'SUCCESS');
  await stage.paid('visa', { requestAmount: 21 });
  const settled = (await stage.settle()).body.settlements.find((each: Json) => each.acquirer === 'EDC');
  assert.equal(settled.batch, edc.batch + 1);
  assert.equal(settled.result, 'BALANCED');
  assert.equal(settled.totals[0].totalAmount, 21);
});

test('each currency is settled for itself, exactly', async () => {
  for (const [currency, requestAmount] of [
    ['JPY', 1000],
    ['KWD', 1.234],
    ['HKD', 0.01],
  ] as const) {
    assert.equal((await stage.paid('visa', { currency, requestAmount })).body.responseResult, 'SUCCESS');
  }
  const { settlements: results } = (await stage.settle({ acquirer: 'EDC' })).body;
  assert.equal(results[0].result, 'BALANCED');
  assert.deepEqual(
    results[0].totals.map(({ currency, totalAmount }: Json) => [currency, totalAmount]),
    [
      ['HKD', 0.01],
      ['JPY', 1000],
      ['KWD', 1.234],
    ],
  );
});

test('settling while a payment runs is refused as busy, and a payment while settling too', async () => {
  const running = stage.payment(stage.saleRequest());
  await eventually(
    () => stage.status(),
    ({ state }) => state === 'collecting',
  );
  const { status, body } = await stage.settle();
  assert.equal(status, 409);
  assert.equal(body.running.posId, 'POS-1');
  await stage.tap('visa');
  await running;
});

test('an acquirer that is not there is refused', async () => {
  const { status, body } = await stage.settle({ acquirer: 'NONE' });
  assert.equal(status, 422);
  assert.equal(body.errors[0].pointer, '/acquirer');
});

test('advices of a time without host survive a kill, and reach it once each', async () => {
  await stage.host('EDC', { mode: 'down' });
  const offline: Json[] = [];
  for (const card of ['visa', 'mastercard', 'jcb']) {
    const { body } = await stage.paid(card, { transactionType: 'OFFLINE_SALE', requestAmount: 40 });
    assert.equal(body.responseResult, 'SUCCESS');
    offline.push(body);
  }
  assert.equal((await stage.status()).pendingAdvices, 3);
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  assert.equal((await stage.status()).pendingAdvices, 3);
  assert.deepEqual(await stage.ledger(), []);
  await stage.host('EDC', { mode: 'up' });
  await drained(stage);
  const ledger = await stage.ledger();
  assert.equal(ledger.length, 3);
  for (const { kind, status, amount } of ledger) {
    assert.deepEqual([kind, status, amount], ['OFFLINE_SALE', 'POSTED', '40.00']);
  }
  // A void before the host has heard of it goes after it.
  assert.equal((await refer('VOID', offline[0], 40)).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 2);
});

test('all six at once: totals per method, each in balance, and all batches open anew', async () => {
  for (const way of [
    byCard('unionpay', 'insert'),
    byCard('visa', 'fallback'),
    byEps('CURRENT'),
    byScannedCode('WECHAT'),
    byShownCode('FPS'),
    byOctopus(),
    byCash('500'),
  ]) {
    assert.equal((await stage.paid(way)).body.responseResult, 'SUCCESS');
  }
  const { body } = await stage.settle();
  assert.equal(body.responseResult, 'SUCCESS');
  assert.deepEqual(
    body.settlements.map(({ acquirer, result, totals }: Json) => [
      acquirer,
      result,
      totals[0].count,
      totals[0].totalAmount,
    ]),
    acquirerNames.map((acquirer) => [acquirer, 'BALANCED', acquirer === 'QR' ? 2 : 1, acquirer === 'QR' ? 60 : 30]),
  );
  for (const entry of await stage.octopusLedger()) assert.equal(entry.uploaded, true);
  const { acquirers } = await stage.status();
  for (const [index, { openBatch }] of acquirers.entries()) assert.equal(openBatch, body.settlements[index].batch + 1);
  await eventually(
    () => stage.paper(),
    (paper) => acquirerNames.every((name) => paper.includes(name)),
  );
});

test('books of wallets that differ: FAILED, it says what, and the batch stays open', async () => {
  const way = byScannedCode('ALIPAY');
  const sale = (await stage.paid(way)).body;
  await stage.host('QR', { wrongAmount: true });
  const { body } = await stage.settle({ acquirer: 'QR' });
  assert.equal(body.settlements[0].result, 'FAILED');
  assert.match(body.message, new RegExp(sale.terminalTransactionId));
  await stage.host('QR', { mode: 'up' });
  const again = (await stage.settle({ acquirer: 'QR' })).body.settlements[0];
  assert.deepEqual([again.result, again.batch], ['BALANCED', body.settlements[0].batch]);
});

test('an Octopus reader whose file has another count: UPLOADED, and it says so', async () => {
  await stage.paid(byOctopus());
  // Whoever uses the reader beside this terminal is in its file as well.
  await stage.does('/api/reset');
  const {
    settlements: [octopus],
  } = (await stage.settle({ acquirer: 'OCTOPUS' })).body;
  assert.equal(octopus.result, 'UPLOADED');
  assert.match(octopus.message, /0 deductions/);
});

test('an Octopus reader that is not there: FAILED, and nothing of the batch is lost', async () => {
  await stage.paid(byOctopus());
  await stage.fault('octopus', { unplug: true });
  const {
    settlements: [failed],
  } = (await stage.settle({ acquirer: 'OCTOPUS' })).body;
  assert.equal(failed.result, 'FAILED');
  await stage.fault('octopus', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.octopus.state === 'ready',
  );
  const {
    settlements: [settled],
  } = (await stage.settle({ acquirer: 'OCTOPUS' })).body;
  assert.deepEqual([settled.result, settled.batch], ['BALANCED', failed.batch + 1]);
});
