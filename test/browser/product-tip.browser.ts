import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Stage } from '../e2e/stage.ts';
import { counters, ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

let stage: Stage;

/** HKD 30.00 without tip. */
const asks = { askTip: true, preferredEntryMode: 'CARD' };

describe('a tip, from the POST to the outcome', () => {
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

      /** What the host has in its books. */
      const booked = async () => (await stage.posted()).map(({ amount, tip }) => [Number(amount), Number(tip)]);

      test('a percentage: the total is on the screen before the card', async (t) => {
        await shown.flow(t, 'tip-percent');
        const begun = await shown.asked(asks, 'chooseTip');
        const offered = await shown.page.locator('#tips button[data-action="tip"]').allTextContents();
        assert.deepEqual(
          offered.slice(0, -1).map((text) => text.replace(shown.words.sums['total'] ?? '', '=')),
          ['10 %3.00= 33.00', '15 %4.50= 34.50', '20 %6.00= 36.00', '10.00= 40.00', '20.00= 50.00'],
        );
        await shown.press('tip', { tip: '4.50' });
        await shown.sees('presentCard');
        assert.equal(await shown.text('amount'), '34.50');
        assert.match(await shown.text('sum-tip'), /4\.50$/);
        await stage.tap('visa');
        await shown.sees('approved');
        assert.match(await shown.text('sum-tip'), /4\.50$/);
        await assertAnswer(begun, 'SUCCESS', { totalAmount: 34.5, tipAmount: 4.5 });
        assert.deepEqual(await booked(), [[34.5, 4.5]]);
      });

      test('an amount is typed, changed, and confirmed with its total', async (t) => {
        await shown.flow(t, 'tip-own');
        const begun = await shown.asked(asks, 'chooseTip');
        await shown.press('other-tip');
        await shown.type('9', '9');
        assert.ok(await shown.page.isDisabled('[data-action="ok"]'), 'more than the greatest tip');
        await shown.picture('too-much');
        await shown.type('erase', 'erase', '8');
        await shown.press('ok');
        await shown.tap('[data-action="change-tip"]');
        await shown.press('other-tip');
        await shown.type('7', '.', '5');
        await shown.picture('typed');
        await shown.press('ok');
        await shown.page.waitForSelector('#own-total');
        assert.match(await shown.text('own-total'), /37\.50$/);
        await shown.picture('confirm');
        await shown.press('tip', { tip: '7.50' });
        await shown.sees('presentCard');
        await stage.tap('visa');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { totalAmount: 37.5, tipAmount: 7.5 });
        assert.deepEqual(await booked(), [[37.5, 7.5]]);
      });

      test('no tip, by the keyboard', async (t) => {
        await shown.flow(t, 'tip-none');
        const begun = await shown.asked(asks, 'chooseTip');
        await shown.page.waitForSelector('body:not([data-hold])');
        await shown.page.focus('[data-tip="0.00"]');
        await shown.page.keyboard.press('Enter');
        await shown.sees('presentCard');
        assert.equal(await shown.page.locator('#sum-tip').count(), 0);
        await stage.tap('visa');
        await shown.sees('approved');
        await assertAnswer(begun, 'SUCCESS', { totalAmount: 30, tipAmount: 0 });
      });

      test('cancelled: nothing was charged', async (t) => {
        await shown.flow(t, 'tip-cancelled');
        const begun = await shown.asked(asks, 'chooseTip');
        await shown.press('cancel');
        await shown.shows('cancelled', { happened: 'cancelledHere', money: 'charge-NONE', next: 'startAgain' });
        await assertAnswer(begun, 'TRANSACTION_ALREADY_CANCEL', { financialImpact: 'NONE', totalAmount: 30 });
      });
    });
  }
});
