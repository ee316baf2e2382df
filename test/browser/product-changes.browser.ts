import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Scene, ScreenHint } from '../../src/payment/contracts/screen.ts';
import { armed, eventually, type Json, type Stage } from '../e2e/stage.ts';
import { ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

let stage: Stage;
let shown: ProductPage;

/** What a way to pay shows, and the one thing at the counter that then waits for the customer. */
const ways: Readonly<Record<string, { readonly scene: Scene; readonly waits: readonly string[] }>> = {
  CARD: { scene: 'presentCard', waits: ['reader'] },
  QR_SCAN: { scene: 'scanCode', waits: ['scanner'] },
  QR_PRESENT: { scene: 'presentCode', waits: ['code'] },
  OCTOPUS: { scene: 'tapOctopus', waits: ['octopus'] },
  EPS: { scene: 'presentCard', waits: ['reader'] },
  CASH: { scene: 'tenderCash', waits: [] },
};

/** From the one that is chosen first to the last; then back. */
const there = ['QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH', 'CARD'];

async function waitsFor(parts: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(parts);
  await eventually(
    async () => armed(await stage.bench()),
    (now) => JSON.stringify(now) === wanted,
  );
}

describe('what the merchant changes and takes back', () => {
  const product = productOfTests();
  before(async () => {
    ({ stage } = product);
    shown = await ProductPage.open(product);
  });

  test('through all ways to pay and back: each waits alone, and the last one is paid with', async (t) => {
    await shown.flow(t, 'change');
    const begun = await shown.asked({}, 'chooseMethod');
    await waitsFor(['reader']);
    await shown.press('choose', { mode: 'QR_SCAN' });
    await shown.sees('scanCode');
    await waitsFor(['scanner']);
    for (const mode of [...there, ...there.toReversed().slice(1), 'QR_SCAN', 'CARD']) {
      await shown.changeTo(mode);
      const { scene, waits } = ways[mode] ?? assert.fail(mode);
      await shown.sees(scene);
      await waitsFor(waits);
    }
    assert.equal(await shown.text('title'), shown.words.card['contactless+chip+magstripe']);
    await stage.tap('visa');
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'VISA' });
    for (const acquirer of ['CUP', 'EPS', 'QR'] as const) assert.deepEqual(await stage.posted(acquirer), []);
    assert.deepEqual(await stage.octopusLedger(), []);
  });

  test('the list of other ways is opened and left again: nothing has changed, a card can still be tapped', async (t) => {
    await shown.flow(t, 'others');
    const begun = await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
    await shown.press('others');
    await shown.page.waitForSelector('[data-action="choose"][data-mode="CASH"]');
    await shown.picture('others');
    await shown.press('back');
    await shown.sees('presentCard');
    await waitsFor(['reader']);
    await shown.press('others');
    await stage.tap('visa');
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS');
  });

  test('EPS is given up at the account and at the PIN: the card counts for nothing, cash pays', async (t) => {
    await shown.flow(t, 'eps-left');
    const begun = await shown.asked({ preferredInstrument: 'EPS' }, 'presentCard');
    await stage.swipe('eps');
    await shown.sees('chooseAccount');
    await shown.changeTo('CARD');
    await shown.sees('presentCard');
    await shown.changeTo('EPS');
    await shown.page.locator('#title', { hasText: 'EPS' }).waitFor();
    await shown.sees('presentCard');
    await stage.swipe('eps');
    await shown.sees('chooseAccount');
    await shown.press('account', { account: 'CURRENT' });
    await shown.sees('enterPin');
    await shown.changeTo('CASH');
    await shown.sees('tenderCash');
    await waitsFor([]);
    await shown.tap('[data-quick="exact"]');
    await shown.press('tender');
    await shown.sees('approved');
    assert.equal(await shown.text('sum-change'), 'HKD 0.00');
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'CASH' });
    assert.deepEqual(await stage.ledger('EPS'), []);
  });

  test('every wallet’s code is shown in turn, and only the last one can be paid', async (t) => {
    await shown.flow(t, 'wallets');
    const begun = await shown.asked({ preferredEntryMode: 'QR_PRESENT' }, 'presentCode');
    const codes = [await onShow()];
    for (const wallet of ['WECHAT', 'FPS', 'UPI_QR', 'ALIPAY', 'WECHAT']) {
      await shown.press('wallet', { wallet });
      await shown.page.waitForSelector(`[data-wallet="${wallet}"][aria-selected="true"]`);
      await shown.sees('presentCode');
      codes.push(await onShow());
    }
    assert.equal(new Set(codes).size, codes.length, 'no code is shown twice');
    for (const code of codes.slice(0, -1)) {
      assert.equal((await stage.sim('POST', '/api/wallet/pay', { qr: code, holdMs: 1 })).status, 409);
    }
    await stage.payCode(codes.at(-1) ?? assert.fail());
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'WECHAT' });
    assert.equal((await stage.posted('QR')).length, 1);
  });

  test('a code is paid in the moment in which the merchant changes to cash: the payment counts, no cash is asked', async (t) => {
    await shown.flow(t, 'paid-meanwhile');
    const begun = await shown.asked({ preferredEntryMode: 'QR_PRESENT' }, 'presentCode');
    const code = await onShow();
    // The list lies over the code, the customer has it in the camera already.
    await stage.host('QR', { close: false });
    await shown.changeTo('CASH');
    await shown.sees('processing', 'closingCode');
    await stage.payCode(code);
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'ALIPAY', entryMode: 'QR_PRESENT' });
    assert.ok((await shown.drawn()).every(({ scene }) => scene !== 'tenderCash'));
  });

  const places: readonly Place[] = [
    { scene: 'chooseMethod', request: {} },
    { scene: 'presentCard', request: { preferredEntryMode: 'CARD' } },
    { scene: 'scanCode', request: { preferredEntryMode: 'QR_SCAN' } },
    { scene: 'presentCode', request: { preferredEntryMode: 'QR_PRESENT' } },
    { scene: 'tapOctopus', request: { preferredInstrument: 'OCTOPUS' } },
    { scene: 'presentCard', request: { preferredInstrument: 'EPS' } },
    { scene: 'chooseAccount', request: { preferredInstrument: 'EPS' }, reach: () => stage.swipe('eps') },
    {
      scene: 'enterPin',
      request: { preferredInstrument: 'EPS' },
      reach: async () => {
        await stage.swipe('eps');
        await shown.press('account', { account: 'SAVINGS' });
      },
    },
    { scene: 'tenderCash', request: { preferredEntryMode: 'CASH' } },
    {
      scene: 'processing',
      request: { preferredEntryMode: 'QR_SCAN' },
      hint: 'confirmOnPhone',
      reach: async () => {
        await stage.host('QR', { customer: 'password' });
        await stage.scan(await stage.walletCode('ALIPAY'));
      },
    },
  ];

  for (const { scene, request, hint, reach } of places) {
    const from = request.preferredInstrument === 'EPS' && scene === 'presentCard' ? `${scene}-eps` : scene;
    test(`cancelled at ${from}: the POS gets 107, nothing waits any more, nothing was charged`, async (t) => {
      await shown.flow(t, `cancel-${from}`);
      const begun = stage.begun(request);
      await reach?.();
      await shown.sees(scene, hint);
      await shown.press('cancel');
      const money = scene === 'presentCode' || scene === 'processing' ? 'charge-IF_PAID_RETURNED' : 'charge-NONE';
      await shown.shows('cancelled', { happened: 'cancelledHere', money, next: 'startAgain' });
      await assertAnswer(begun, 'TRANSACTION_ALREADY_CANCEL', { responseCode: 107, financialImpact: 'NONE' });
      await stage.assertDisarmed();
      const posted = await Promise.all((['EDC', 'CUP', 'EPS', 'QR'] as const).map((host) => stage.posted(host)));
      assert.deepEqual(posted.flat(), []);
    });
  }

  test('cancelled from the list of other ways, too', async (t) => {
    await shown.flow(t, 'cancel-others');
    const begun = await shown.asked({ preferredEntryMode: 'QR_SCAN' }, 'scanCode');
    await shown.press('others');
    await shown.press('cancel');
    await shown.shows('cancelled', { happened: 'cancelledHere', money: 'charge-NONE', next: 'startAgain' });
    await assertAnswer(begun, 'TRANSACTION_ALREADY_CANCEL', { responseCode: 107 });
  });

  test('the customer’s own cancel key on the PIN pad ends it as well', async (t) => {
    await shown.flow(t, 'cancel-key');
    const begun = await shown.asked({ preferredInstrument: 'EPS' }, 'presentCard');
    await stage.swipe('eps');
    await shown.press('account', { account: 'SAVINGS' });
    await shown.sees('enterPin');
    await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
    await shown.shows('cancelled', { happened: 'cancelledByCustomer', money: 'charge-NONE', next: 'startAgain' });
    await assertAnswer(begun, 'TRANSACTION_ALREADY_CANCEL', { responseCode: 107 });
  });

  test('while a host is asked for a card there is nothing to press', async (t) => {
    await shown.flow(t, 'at-host');
    await stage.host('EDC', { mode: 'up', delayMs: 600 });
    const begun = await shown.asked({}, 'chooseMethod');
    await stage.tap('visa');
    await shown.sees('processing');
    assert.equal(await shown.page.locator('main button').count(), 0);
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS');
  });
});

/** Where it is cancelled, and how it gets there. */
interface Place {
  readonly scene: Scene;
  readonly request: Json;
  readonly hint?: ScreenHint;
  readonly reach?: () => Promise<void>;
}

async function onShow(): Promise<string> {
  const { code } = await stage.view((view) => view.scene === 'presentCode' && view.code !== undefined);
  return code;
}
