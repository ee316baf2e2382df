import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { password, poid } from '../e2e/operator.ts';
import { http } from '../e2e/stage.ts';
import { axeViolations } from './axe.ts';
import { menuCounters, ProductPage } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

describe('what can be done with a transaction at the screen', () => {
  const rules = { tipNeedsSignature: false, tipPercentMax: 20 };
  const product = productOfTests({ screen: { outcomeMs: 1_000 }, http: { tls: false }, rules });
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  /** A picture that axe finds nothing in. */
  async function looked(shown: ProductPage, name: string): Promise<void> {
    await shown.page.waitForSelector('body:not([data-hold])');
    await shown.picture(name);
    assert.deepEqual(await axeViolations(shown.page), [], name);
  }

  for (const counter of menuCounters) {
    const name = `${counter.size}, ${counter.language}`;

    test(`${name}: a tip, a part refunded, and the searches`, async (t) => {
      const { stage } = product;
      await stage.paid('visa');
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'desk');
      t.after(() => shown.close());
      await shown.sees('idle');
      await shown.press('menu');
      await shown.type(...password.split(''));
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="today"]');
      await looked(shown, 'menu');
      await shown.press('today');
      await shown.page.waitForSelector('.row');
      await looked(shown, 'today');
      await shown.tap('.row:first-child');
      await shown.press('TIP_ADJUST');
      await shown.type('5');
      await looked(shown, 'tip');
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /HKD 5\.00.*HKD 35\.00/);
      await looked(shown, 'tip-sure');
      await shown.press('yes');
      await shown.press('back');
      await shown.page.waitForSelector('#waits');
      assert.match((await shown.page.textContent('#facts')) ?? '', /HKD 5\.00.*HKD 35\.00/);
      await looked(shown, 'tipped');

      await shown.press('REFUND');
      await looked(shown, 'how-much');
      await shown.press('other-amount');
      await shown.type('1', '0');
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /^HKD 10\.00/);
      await shown.press('yes');
      await stage.tap('visa');
      await shown.press('back');
      await shown.page.waitForSelector('#waits');
      assert.match((await shown.page.textContent('[data-fact="refunded"]')) ?? '', /HKD 10\.00$/);
      assert.match((await shown.page.textContent('[data-fact="final"]')) ?? '', /HKD 35\.00$/);
      await looked(shown, 'refunded');
      await shown.press('story');
      await looked(shown, 'story');
      await shown.press('back');
      await shown.press('back');
      await shown.page.waitForSelector('.row');
      assert.match((await shown.page.textContent('.row:first-child')) ?? '', /10\.00.*HKD 30\.00$/);
      await looked(shown, 'partly-refunded');

      await shown.press('search');
      await looked(shown, 'search');
      await shown.press('by-time');
      await shown.type('0', '3', '1');
      await looked(shown, 'by-time');
      await shown.press('back');
      await shown.press('by-amount');
      await shown.type('9', '9', '9');
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="search"]');
      assert.equal(await shown.page.locator('.row').count(), 0);
      await looked(shown, 'nothing-found');
      await shown.press('back');
      await shown.page.waitForSelector('.row');
    });
  }

  test('an answer that is lost is asked for again, and nothing is voided twice', async (t) => {
    const { stage } = product;
    await stage.paid('visa', { requestAmount: 21 });
    const shown = await ProductPage.open(product);
    await shown.flow(t, 'desk-lost');
    t.after(() => shown.close());
    await shown.sees('idle');
    await shown.press('menu');
    await shown.type(...password.split(''));
    await shown.press('ok');
    await shown.press('today');
    await shown.tap('.row:first-child');
    await shown.press('VOID');
    await shown.page.waitForSelector('[data-action="yes"]');
    const sent: string[] = [];
    await shown.page.route('**/desk', async (route) => {
      const body = JSON.parse(route.request().postData() ?? '{}');
      if (body.kind !== 'act') return route.continue();
      sent.push(body.confirmation);
      if (sent.length > 1) return route.continue();
      // The terminal has it, and its answer goes astray.
      await route.fetch();
      return route.abort();
    });
    await shown.press('yes');
    await shown.page.waitForSelector('[data-action="again"]', { timeout: 15_000 });
    await looked(shown, 'lost');
    await shown.press('again');
    await shown.press('back');
    await shown.page.waitForSelector('#waits');
    assert.deepEqual([sent.length, new Set(sent).size], [2, 1]);
    const { transactions } = (await http('GET', `${stage.apiUrl}/sp/v1/transactions?posId=OPERATOR`)).body;
    const ofThis = transactions.filter(
      (each: { transactionResult?: { totalAmount: number } }) => each.transactionResult?.totalAmount === 21,
    );
    assert.equal(ofThis.length, 1);
    assert.equal((await stage.posted()).length, 0);
  });
});
