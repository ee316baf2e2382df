import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { epsPin } from '../e2e/customer.ts';
import { eventually, type Stage } from '../e2e/stage.ts';
import { counters, ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';
import { languages } from './screen-page.ts';

let stage: Stage;

/** Long enough that a host at work can be seen. */
const hostWorksMs = 400;

describe('every method, from the POST to the outcome', () => {
  const product = productOfTests();
  before(() => {
    ({ stage } = product);
  });

  for (const counter of counters) {
    describe(`${counter.size}, ${counter.language}`, () => {
      let shown: ProductPage;
      before(async () => {
        shown = await ProductPage.open(product, counter);
      });
      after(() => shown?.close());

      test('a card is tapped while the merchant could choose', async (t) => {
        await shown.flow(t, 'tap');
        await stage.host('EDC', { mode: 'up', delayMs: hostWorksMs });
        const begun = await shown.asked({}, 'chooseMethod');
        assert.equal(await shown.text('title'), shown.words.card['contactless+chip+magstripe']);
        await stage.tap('visa');
        await shown.sees('processing');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'VISA', entryMode: 'CONTACTLESS', totalAmount: 30 });
        assert.equal((await stage.posted()).length, 1);
      });

      test('a chip is inserted, and taken out when it is over', async (t) => {
        await shown.flow(t, 'insert');
        const begun = await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
        await stage.insert('mastercard');
        await shown.sees('approved', 'removeCard');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'MASTER', entryMode: 'CHIP' });
        await stage.does('/api/reader/remove');
      });

      test('a card with a chip is swiped: it is to be inserted', async (t) => {
        await shown.flow(t, 'swipe');
        const begun = await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
        await stage.swipe('visa');
        await shown.sees('presentCard', 'insertCard');
        await stage.insert('visa');
        await shown.sees('approved', 'removeCard');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'VISA', entryMode: 'CHIP' });
        await stage.does('/api/reader/remove');
      });

      test('a chip that can’t be read: it is to be swiped', async (t) => {
        await shown.flow(t, 'fallback');
        const begun = await shown.asked({}, 'chooseMethod');
        await stage.fault('reader', { chipFails: true });
        await stage.insert('visa');
        await shown.sees('chooseMethod', 'swipeCard');
        await stage.swipe('visa');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { entryMode: 'FALLBACK' });
      });

      test('the customer’s code is scanned; what is none is said to be none', async (t) => {
        await shown.flow(t, 'scan');
        const begun = await shown.asked({}, 'chooseMethod');
        await shown.press('choose', { mode: 'QR_SCAN' });
        await shown.sees('scanCode');
        await stage.scan('https://example.com/menu');
        await shown.sees('scanCode', 'notAWalletCode');
        await stage.host('QR', { delayMs: hostWorksMs });
        await stage.scan(await stage.walletCode('ALIPAY'));
        await shown.sees('processing');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'ALIPAY', entryMode: 'QR_SCAN' });
      });

      test('the wallet asks for a password on the phone', async (t) => {
        await shown.flow(t, 'password');
        await stage.host('QR', { customer: 'password' });
        const begun = await shown.asked({ preferredEntryMode: 'QR_SCAN' }, 'scanCode');
        await stage.scan(await stage.walletCode('WECHAT'));
        await shown.sees('processing', 'confirmOnPhone');
        await stage.does('/api/wallet/confirm');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'WECHAT', entryMode: 'QR_SCAN' });
      });

      test('a code is shown, another wallet’s instead, and that is read from the glass and paid', async (t) => {
        await shown.flow(t, 'show');
        const begun = await shown.asked({}, 'chooseMethod');
        await shown.press('choose', { mode: 'QR_PRESENT' });
        await shown.sees('presentCode');
        const first = await read(shown);
        await stage.host('QR', { delayMs: hostWorksMs });
        await shown.press('wallet', { wallet: 'FPS' });
        await shown.sees('presentCode', 'codeComing');
        assert.equal(await shown.page.locator('#code svg').count(), 0, 'a code that is being closed is shown no more');
        await stage.host('QR', {});
        await shown.sees('presentCode');
        const { FPS = '' } = shown.words.wallets;
        assert.equal(await shown.text('title'), shown.words.scanWith.replace('{wallet}', FPS));
        const second = await read(shown);
        assert.notEqual(second, first);
        const { status } = await stage.sim('POST', '/api/wallet/pay', { qr: first, holdMs: 1 });
        assert.equal(status, 409, 'the first code can’t be paid any more');
        await stage.payCode(second);
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'FPS', entryMode: 'QR_PRESENT' });
        assert.equal((await stage.posted('QR')).length, 1);
      });

      test('an Octopus card is tapped, and what is left on it is shown', async (t) => {
        await shown.flow(t, 'octopus');
        const begun = await shown.asked({}, 'chooseMethod');
        await shown.press('choose', { mode: 'OCTOPUS' });
        await shown.sees('tapOctopus');
        await stage.tapOctopus('octopus');
        await shown.sees('approved');
        assert.equal(await shown.text('sum-balance'), 'HKD 470.00');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'OCTOPUS' });
      });

      for (const torn of ['deducted', 'notDeducted']) {
        test(`an Octopus card is torn away, ${torn}: nobody leaves before the same card is back`, async (t) => {
          await shown.flow(t, `octopus-${torn}`);
          const begun = await shown.asked({ preferredInstrument: 'OCTOPUS' }, 'tapOctopus');
          await stage.fault('octopus', { incompleteNext: torn });
          await stage.tapOctopus('octopus');
          await shown.sees('tapOctopus', 'sameOctopusCard');
          assert.equal(await shown.text('title'), shown.words.doNotLeave);
          assert.equal(await shown.page.locator('main button').count(), 0, 'nothing lets the customer go');
          const other = await stage.sim('POST', '/api/octopus/tap', { card: 'octopus-other' });
          assert.equal(other.status, 409, 'another card is left alone');
          await shown.sees('tapOctopus', 'sameOctopusCard');
          await stage.tapOctopus('octopus');
          await shown.sees('approved');
          assert.equal(await shown.text('sum-balance'), 'HKD 470.00');
          await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'OCTOPUS' });
          assert.equal((await stage.octopusLedger()).length, 1);
        });
      }

      test('EPS: account, a wrong PIN, the right one; no digit of either is ever on the page', async (t) => {
        await shown.flow(t, 'eps');
        // No digit of the amount is one of the PINs'.
        const begun = await shown.asked({ requestAmount: 48.2 }, 'chooseMethod');
        await shown.press('choose', { mode: 'EPS' });
        await shown.sees('presentCard');
        assert.equal(await shown.text('title'), shown.words.card['eps']);
        await stage.swipe('eps');
        await shown.sees('chooseAccount');
        await shown.press('account', { account: 'SAVINGS' });
        await shown.sees('enterPin');
        await stage.enterPin('9876');
        await shown.sees('enterPin', 'wrongPin');
        await stage.enterPin(epsPin);
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'EPS', totalAmount: 48.2 });
        const [entry] = await stage.posted('EPS');
        assert.equal(entry.account, 'SAVINGS');
        for (const { scene, html } of await shown.drawn()) {
          for (const pin of [epsPin, '9876']) assert.ok(!html.includes(pin), `a PIN is on the page in ${scene}`);
          if (scene === 'enterPin')
            assert.doesNotMatch(textOf(html), /[•*●]|[135679]/, 'not even how many digits there are');
        }
      });

      test('EPS with cash: the customer is told to take it', async (t) => {
        await shown.flow(t, 'eps-cash');
        const begun = await shown.asked({ requestAmount: 230, cashbackAmount: 200 }, 'presentCard');
        assert.equal(await shown.text('sum-cashback'), 'HKD 200.00');
        await stage.swipe('eps');
        await shown.sees('chooseAccount');
        await shown.press('account', { account: 'CURRENT' });
        await shown.sees('enterPin');
        await stage.enterPin(epsPin);
        await shown.sees('approved', 'takeCash');
        assert.equal(await shown.text('sum-cashback'), 'HKD 200.00');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'EPS', totalAmount: 230 });
      });

      test('cash is typed, then taken from a quick button; the change stays on the screen', async (t) => {
        await shown.flow(t, 'cash');
        const begun = await shown.asked({ requestAmount: 63.8 }, 'chooseMethod');
        await shown.press('choose', { mode: 'CASH' });
        await shown.sees('tenderCash');
        const reckoned = async () => [
          await shown.text('tendered'),
          await shown.text('change'),
          await shown.page.isEnabled('#tender'),
        ];
        await shown.type('6', '0');
        assert.deepEqual(await reckoned(), ['HKD 60', 'HKD 3.80', false]);
        await shown.tap('[data-quick="100"]');
        assert.deepEqual(await reckoned(), ['HKD 100', 'HKD 36.20', true]);
        await shown.tap('[data-quick="exact"]');
        assert.deepEqual(await reckoned(), ['HKD 63.80', 'HKD 0.00', true]);
        await shown.type('erase', 'erase', 'erase', 'erase', '0', '.', '3');
        assert.deepEqual(await reckoned(), ['HKD 60.3', 'HKD 3.50', false]);
        await shown.tap('[data-quick="100"]');
        await shown.press('tender');
        await shown.sees('approved');
        assert.equal(await shown.text('sum-tendered'), 'HKD 100.00');
        assert.equal(await shown.text('sum-change'), 'HKD 36.20');
        await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'CASH', totalAmount: 63.8 });
      });

      test('a sale is given back to its card, and that refund taken back: the page says what it is', async (t) => {
        await shown.flow(t, 'refund');
        const { terminalTransactionId } = await assertAnswer({ answer: stage.paid('visa') }, 'SUCCESS');
        const refund = { transactionType: 'REFUND', originalTerminalTransactionId: terminalTransactionId };
        const begun = await shown.asked(refund, 'presentCard');
        assert.equal(await shown.text('kind'), shown.words.kinds['REFUND']);
        await stage.tap('visa');
        await shown.sees('approved');
        assert.equal(await shown.text('kind'), shown.words.kinds['REFUND']);
        const refunded = await assertAnswer(begun, 'SUCCESS');
        await stage.host('EDC', { mode: 'up', delayMs: hostWorksMs });
        const voided = await shown.asked(
          { transactionType: 'VOID_REFUND', originalTerminalTransactionId: refunded.terminalTransactionId },
          'processing',
        );
        await shown.sees('approved');
        assert.equal(await shown.text('kind'), shown.words.kinds['VOID_REFUND']);
        await assertAnswer(voided, 'SUCCESS');
      });
    });
  }

  test('a chip in its slot: it must stay while the host is asked, and go when it is declined', async (t) => {
    const shown = await ProductPage.open(product);
    await shown.flow(t, 'slot');
    t.after(() => shown.close());
    await stage.host('EDC', { decline: '51', delayMs: hostWorksMs });
    await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
    await stage.insert('visa');
    const { hint } = await stage.view(({ scene }) => scene === 'processing');
    const outcome = await stage.view(({ scene }) => scene === 'declined');
    await stage.does('/api/reader/remove');
    // The chip hears the bank's word while the outcome is shown.
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.chipWaits === false,
    );
    assert.equal(hint, 'leaveCardIn');
    assert.equal(outcome.cardInside, true);
  });

  test('the words of these tests are of languages that the page has', () => {
    assert.ok(counters.length > 1);
    for (const { language } of counters) assert.ok(languages.includes(language), language);
  });
});

/** The code as a phone reads it from the display. */
async function read(shown: ProductPage): Promise<string> {
  const picture = await shown.page.locator('#code svg').screenshot();
  const { data, width, height } = PNG.sync.read(picture);
  return decodeQR({ data, width, height }, { effort: 10, timeLimit: 10_000 });
}

/** What is written on the page, without its drawings. */
function textOf(html: string): string {
  return html
    .slice(html.indexOf('<main'))
    .replace(/<svg.*?<\/svg>/gs, '')
    .replace(/<[^>]*>/g, ' ');
}
