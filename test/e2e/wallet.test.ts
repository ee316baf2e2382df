import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { booked } from './books.ts';
import { byScannedCode, byShownCode } from './customer.ts';
import type { Begun, Stage } from './stage.ts';
import { WalletTill } from './wallet-till.ts';

let till: WalletTill;
let stage: Stage;
before(async () => {
  till = await WalletTill.open();
  stage = till.stage;
});
after(() => stage.close());
afterEach(() => till.assertBooks());

const scanned = byScannedCode('ALIPAY');
const shown = byShownCode('WECHAT');

describe('a customer who is asked for the password', () => {
  async function asked(): Promise<Begun> {
    await stage.host('QR', { customer: 'password' });
    const begun = stage.begun(scanned.request);
    await stage.scan(await stage.walletCode('ALIPAY'));
    const view = await stage.view(({ hint }) => hint === 'confirmOnPhone');
    assert.deepEqual([view.scene, view.cancellable, view.modes], ['processing', true, undefined]);
    assert.partialDeepStrictEqual((await stage.enquiry(begun.request)).body, {
      responseResult: 'PROCESSING',
      state: 'authorizing',
      step: 'awaitingCustomer',
    });
    return begun;
  }

  test('enters it: paid', async () => {
    const { answer } = await asked();
    await stage.does('/api/wallet/confirm');
    assert.equal(till.keep(scanned, await answer).responseResult, 'SUCCESS');
  });

  test('puts the phone away: declined', async () => {
    const { answer } = await asked();
    await stage.does('/api/wallet/refuse');
    await till.assertNothing((await answer).body, 'DECLINED');
  });

  test('and a POS that cancels: answered once the terminal is idle, and the order is closed', async () => {
    const { request, answer } = await asked();
    const cancel = await stage.cancel(request);
    assert.equal(cancel.status, 200, JSON.stringify(cancel.body));
    assert.equal((await stage.status()).state, 'idle');
    await till.assertNothing((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
    assert.equal((await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 })).status, 409);
  });

  test('and a merchant who cancels on the page', async () => {
    const { answer } = await asked();
    await stage.act('processing', { kind: 'cancel' });
    await till.assertNothing((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
  });

  test('never answers: timed out, and the order is closed', async () => {
    const { answer } = await asked();
    await till.assertNothing((await answer).body, 'TIMEOUT');
    assert.equal((await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 })).status, 409);
  });

  test('enters it while the POS cancels: paid and told, or neither', async () => {
    for (const pauseMs of [0, 1, 3, 6]) {
      const { request, answer } = await asked();
      const cancelling = stage.cancel(request);
      await pause(pauseMs);
      const { status } = await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 });
      const cancel = await cancelling;
      const { responseResult } = till.keep(scanned, await answer);
      assert.equal(responseResult, status === 200 ? 'SUCCESS' : 'TRANSACTION_ALREADY_CANCEL');
      assert.equal(cancel.status, status === 200 ? 409 : 200, JSON.stringify(cancel.body));
    }
  });
});

test('FPS is paid in renminbi: code, answer and the host’s order name it', async () => {
  const way = byShownCode('FPS');
  const body = till.keep(way, await stage.paid(way, { currency: 'CNY' }));
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  assert.equal(body.transactionResult.currency, 'CNY');
  const [order] = await stage.ledger('QR');
  assert.deepEqual([order.wallet, order.currency, order.amount, order.status], ['FPS', 'CNY', '30.00', 'POSTED']);
});

test('a payment in processing is enquired until it is decided', async () => {
  await stage.host('QR', { customer: 'processing', processingEnquiries: 4 });
  assert.equal(till.keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
});

for (const [what, mode] of [
  ['the customer has refused', { customer: 'refuses' }],
  ['there is too little in the wallet', { decline: '1201' }],
] as const) {
  for (const way of [scanned, shown]) {
    if (way === shown && 'customer' in mode) continue;
    test(`${way.name}: ${what}: declined`, async () => {
      await stage.host('QR', mode);
      if (way === scanned) await till.assertNothing((await stage.paid(way)).body, 'DECLINED');
      else await till.assertNothing((await stage.begun(way.request).answer).body, 'DECLINED');
    });
  }
}

test('the same code twice: the second payment is declined', async () => {
  const code = await stage.walletCode('WECHAT');
  const first = stage.begun(scanned.request);
  await stage.scan(code);
  till.keep(byScannedCode('WECHAT'), await first.answer);
  const second = stage.begun(scanned.request);
  await stage.scan(code);
  await till.assertNothing((await second.answer).body, 'DECLINED');
});

describe('given back', () => {
  test('declined by the wallet: the sale stands', async () => {
    const sale = await till.sold(scanned);
    await stage.host('QR', { declineRefunds: '1265' });
    await till.assertNothing((await till.refer('REFUND', sale)).body, 'DECLINED');
  });

  test('in parts, and never more than was paid', async () => {
    const sale = await till.sold(shown);
    const part = (requestAmount: number) =>
      stage.payment(
        stage.saleRequest({ transactionType: 'REFUND', requestAmount, originalTerminalTransactionId: sale.id }),
      );
    const { body } = await part(12.5);
    till.reported.push(booked('REFUND', shown, 1_250, body, { refundOf: sale }));
    assert.equal((await part(17.51)).status, 422);
    till.reported.push(booked('REFUND', shown, 1_750, (await part(17.5)).body, { refundOf: sale }));
    sale.refundedCents = 3_000;
    assert.equal((await part(0.01)).status, 422);
    assert.equal((await till.refer('VOID', sale)).status, 422);
  });
});
