import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../outside/markdown.ts';
import { booked, bookVoid, drained, expectedTotals, reportedTotals } from './books.ts';
import { byScannedCode, byShownCode, type Way } from './customer.ts';
import { eventually, type HttpAnswer, type Json, type Stage } from './stage.ts';
import { WalletTill } from './wallet-till.ts';

/** Wallets that neither program has built in: the terminal's entries and the host's contract of the documents. */
const terminalEntries = documented('wallets.md', 'configuration: wallets').wallets;
const contract = documented('simulator.md', 'simulator: wallets');

let till: WalletTill;
let stage: Stage;
const file = path.join(tmpdir(), `poid-wallets-${process.pid}.json`);
before(async () => {
  writeFileSync(file, JSON.stringify(contract));
  till = await WalletTill.open({
    flags: ['--wallets', file],
    configuration: {
      wallets: {
        TESTPAY: terminalEntries.TESTPAY,
        WALLET_HK: {
          name: { en: 'Wallet HK', 'zh-Hant': '香港錢包' },
          presented: { payType: '809951', payTag: 'WALLETHK' },
        },
        WALLET_CN: {
          name: { en: 'Wallet CN', 'zh-Hant': '內地錢包' },
          presented: { payType: '809951', payTag: 'WALLETCN' },
        },
      },
    },
  });
  stage = till.stage;
});
after(async () => {
  rmSync(file);
  await stage.close();
});
afterEach(async () => {
  await drained(stage);
  // Nothing is left in an open batch whose host forgets it now.
  const { responseResult, message } = (await stage.settle({ acquirer: 'QR' })).body;
  assert.equal(responseResult, 'SUCCESS', message);
  await till.assertBooks();
});

/** The last block of this kind: the one that shows all. */
function documented(name: string, mark: string): Json {
  const place = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  const block = blocksOf(name, readFileSync(place, 'utf8')).findLast((each) => each.mark === mark);
  return JSON.parse(block?.text ?? assert.fail(`docs/${name} has no block "${mark}"`));
}

const scanned = byScannedCode('TESTPAY');
const shown = byShownCode('TESTPAY');
const ways = [scanned, shown];

const receiptOf = ({ terminalTransactionId }: Json): Promise<HttpAnswer> =>
  stage.post('receipt', { posId: 'POS-1', terminalTransactionId, copy: 'CUSTOMER', output: 'TEXT' });

for (const way of ways) {
  test(`${way.name}: paid, told and printed by its name, and in the host’s books as its order`, async () => {
    const body = till.keep(way, await stage.paid(way));
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    assert.equal(body.transactionResult.paymentMethod, 'TESTPAY');
    const [order] = await stage.ledger('QR');
    const payType = way === scanned ? '809908' : '809901';
    assert.deepEqual(
      [order.wallet, order.payType, order.amount, order.status],
      ['TESTPAY', payType, '30.00', 'POSTED'],
    );
    assert.match(JSON.stringify((await receiptOf(body)).body), /TestPay/);
  });

  test(`${way.name}: given back in parts`, async () => {
    const sale = await till.sold(way);
    for (const [requestAmount, cents] of [
      [12.5, 1_250],
      [17.5, 1_750],
    ] as const) {
      const fields = { transactionType: 'REFUND', requestAmount, originalTerminalTransactionId: sale.id };
      const { body } = await stage.payment(stage.saleRequest(fields));
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      till.reported.push(booked('REFUND', way, cents, body, { refundOf: sale }));
    }
    sale.refundedCents = 3_000;
    assert.equal((await till.refer('REFUND', sale)).status, 422);
  });

  test(`${way.name}: voided whole, once`, async () => {
    const sale = await till.sold(way);
    const { body } = await till.refer('VOID', sale);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    bookVoid(sale, body);
    assert.equal((await till.refer('VOID', sale)).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  });

  test(`${way.name}: paid while the terminal was killed: given back once, and never charged again`, async () => {
    const request = await killedOncePaid(way);
    await stage.startDaemon();
    const { body } = await settledFate(request);
    assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'REVERSED'], body.message);
    const orders = (await stage.ledger('QR')).map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);
    assert.deepEqual(orders, ['SALE 30.00 POSTED', 'REFUND 30.00 POSTED']);
    // The till that never heard an answer sends the same request again.
    assert.equal((await stage.payment(request)).body.responseResult, 'ERROR');
    assert.equal((await stage.ledger('QR')).length, 2);
  });
}

/** The host has posted it, and the terminal dies before it hears of it. */
async function killedOncePaid(way: Way): Promise<Json> {
  if (way === scanned) await stage.host('QR', { mode: 'silent', enquiries: true });
  const { request } = stage.begun(way.request);
  if (way === scanned) {
    await way.present(stage);
  } else {
    const { code } = await stage.view((view) => view.wallet === 'TESTPAY' && view.code);
    await stage.host('QR', { mode: 'silent', enquiries: true });
    await stage.payCode(code);
  }
  await eventually(
    () => stage.posted('QR'),
    (posted) => posted.length === 1,
  );
  await stage.stopDaemon('SIGKILL');
  await stage.host('QR', { mode: 'up' });
  return request;
}

async function settledFate(request: Json): Promise<HttpAnswer> {
  await drained(stage);
  return eventually(
    () => stage.enquiry(request),
    ({ body }) => body.financialImpact !== 'REVERSAL_PENDING',
  );
}

describe('a code on show that nobody pays', () => {
  for (const wallet of ['TESTPAY', 'WALLET_CN'] as const) {
    test(`${wallet}: is closed at the host when the POS cancels, so no phone can pay it`, async () => {
      const { request, answer } = stage.begun(byShownCode(wallet).request);
      const { code } = await stage.view((view) => view.wallet === wallet && view.code);
      assert.equal((await stage.cancel(request)).status, 200);
      await till.assertNothing((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
      assert.equal((await stage.sim('POST', '/api/wallet/pay', { qr: code, holdMs: 1 })).status, 409);
    });
  }
});

test('two wallets of one pay type are told apart by their tag', async () => {
  for (const wallet of ['WALLET_HK', 'WALLET_CN'] as const) {
    const way = byShownCode(wallet);
    const body = till.keep(way, await stage.paid(way));
    assert.deepEqual([body.responseResult, body.transactionResult?.paymentMethod], ['SUCCESS', wallet], body.message);
  }
  assert.deepEqual(
    (await stage.ledger('QR')).map(({ wallet }) => wallet),
    ['WALLET_HK', 'WALLET_CN'],
  );
});

test('its limits, kinds and currencies are those of its entry', async () => {
  const asked = { preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'TESTPAY' };
  for (const fields of [{ requestAmount: 0.5 }, { requestAmount: 5000.01 }, { currency: 'CNY' }]) {
    const { status, body } = await stage.payment(stage.saleRequest({ ...asked, ...fields }));
    assert.equal(status, 422, JSON.stringify(body));
  }
  const sale = await till.sold(shown);
  const { body } = await till.refer('REFUND', sale);
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  const refund = till.bookRefund(sale, body);
  // VOID_REFUND is not one of its kinds.
  assert.equal((await till.refer('VOID_REFUND', refund)).status, 422);
});

test('it is settled with the others, by its own sums', async () => {
  const sales = [await till.sold(scanned), await till.sold(shown), await till.sold(byScannedCode('ALIPAY'))];
  const { body } = await till.refer('REFUND', sales[0] ?? assert.fail());
  till.bookRefund(sales[0] ?? assert.fail(), body);
  const report = await fetch(`${stage.apiUrl}/sp/v1/report?acquirer=QR`);
  assert.match(await report.text(), /"TESTPAY"/);
  const settled = await stage.settle({ acquirer: 'QR' });
  assert.equal(settled.body.responseResult, 'SUCCESS', JSON.stringify(settled.body));
  const [batch] = settled.body.settlements;
  assert.deepEqual(reportedTotals(batch.totals), expectedTotals(till.reported, 'QR'));
});
