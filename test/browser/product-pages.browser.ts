import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Scene, ScreenHint } from '../../src/payment/contracts/screen.ts';
import { epsPin } from '../e2e/customer.ts';
import type { Stage } from '../e2e/stage.ts';
import { ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

let stage: Stage;
let merchant: ProductPage;
let customer: ProductPage;

describe('two pages of one terminal', () => {
  const product = productOfTests();
  before(async () => {
    ({ stage } = product);
    merchant = await ProductPage.open(product);
    customer = await ProductPage.open(product, { size: 'counter', language: 'en' });
  });

  /** Both are there, and nothing that either says or offers is other than what the other does. */
  async function both(scene: Scene, hint?: ScreenHint): Promise<void> {
    await merchant.sees(scene, hint);
    await customer.sees(scene, hint);
    assert.deepEqual(await customer.said(), await merchant.said());
  }

  test('show the same from the request to the outcome, whichever of them is pressed', async (t) => {
    await merchant.flow(t, 'two-merchant');
    await customer.flow(t, 'two-customer');
    const begun = stage.begun({ requestAmount: 88 });
    await both('chooseMethod');
    await merchant.press('choose', { mode: 'QR_PRESENT' });
    await both('presentCode');
    await customer.press('wallet', { wallet: 'WECHAT' });
    await merchant.page.waitForSelector('[data-wallet="WECHAT"][aria-selected="true"]');
    await both('presentCode');
    await customer.changeTo('EPS');
    await both('presentCard');
    await stage.swipe('eps');
    await both('chooseAccount');
    await customer.press('account', { account: 'CURRENT' });
    await both('enterPin');
    await stage.enterPin('9876');
    await both('enterPin', 'wrongPin');
    await stage.enterPin(epsPin);
    await both('approved');
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'EPS' });
  });

  test('the list of other ways is open on one page only, and both cancel', async (t) => {
    await merchant.flow(t, 'two-lists-merchant');
    await customer.flow(t, 'two-lists-customer');
    const begun = stage.begun({ preferredEntryMode: 'QR_SCAN' });
    await both('scanCode');
    await merchant.press('others');
    await merchant.page.waitForSelector('[data-action="back"]');
    assert.equal(await customer.page.locator('[data-action="choose"]').count(), 0);
    await customer.press('cancel');
    const said = { happened: 'cancelledHere', money: 'charge-NONE', next: 'startAgain' } as const;
    await merchant.shows('cancelled', said);
    await customer.shows('cancelled', said);
    assert.deepEqual(await customer.said(), await merchant.said());
    assert.equal(await merchant.page.locator('main button').count(), 0, 'the list goes with its payment');
    await assertAnswer(begun, 'TRANSACTION_ALREADY_CANCEL', { responseCode: 107 });
  });

  test('a press that arrives late, when its payment is over, does nothing to the next one', async (t) => {
    await merchant.flow(t, 'late');
    const { promise: network, resolve: recovers } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrives } = Promise.withResolvers<number>();
    await merchant.page.route('**/action', async (route) => {
      await network;
      const response = await route.fetch();
      arrives(response.status());
      await route.fulfill({ response });
    });
    const first = await merchant.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
    await merchant.press('cancel');
    await stage.tap('visa');
    await merchant.sees('approved');
    await assertAnswer(first, 'SUCCESS');
    const second = await merchant.asked({ preferredEntryMode: 'QR_SCAN', requestAmount: 45 }, 'scanCode');
    recovers();
    assert.equal(await arrived, 204, 'it is heard, and names what is over');
    await merchant.page.unroute('**/action');
    await merchant.sees('scanCode');
    await stage.scan(await stage.walletCode('ALIPAY'));
    await merchant.sees('approved');
    await assertAnswer(second, 'SUCCESS', { totalAmount: 45 });
  });

  test('what an old page could still say of a payment that is over does nothing to the next one', async (t) => {
    await merchant.flow(t, 'old');
    const first = await merchant.asked({ preferredEntryMode: 'CASH' }, 'tenderCash');
    const { transaction } = await stage.view(({ scene }) => scene === 'tenderCash');
    await merchant.press('cancel');
    await assertAnswer(first, 'TRANSACTION_ALREADY_CANCEL');
    const second = await merchant.asked({ preferredEntryMode: 'CASH', requestAmount: 45 }, 'tenderCash');
    for (const action of [{ kind: 'tender', amount: '50' }, { kind: 'choose', mode: 'CARD' }, { kind: 'cancel' }]) {
      await stage.action(transaction, action);
    }
    // A press of this payment's own, after those: had they done anything, it would be the other way round.
    await merchant.tap('[data-quick="100"]');
    await merchant.press('tender');
    await merchant.sees('approved');
    assert.equal(await merchant.text('sum-change'), 'HKD 55.00');
    await assertAnswer(second, 'SUCCESS', { paymentMethod: 'CASH', totalAmount: 45 });
  });
});
