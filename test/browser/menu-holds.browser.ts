import assert from 'node:assert/strict';
import { before, describe, test, type TestContext } from 'node:test';
import { password, poid } from '../e2e/operator.ts';
import { axeViolations } from './axe.ts';
import { type Counter, menuCounters, ProductPage } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

/** Held money from its authorization to its end, at the screen alone. The oracle is the book of the card's host. */
describe('held amounts at the screen', () => {
  const product = productOfTests({ screen: { outcomeMs: 1_000 }, http: { tls: false } });
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  async function unlocked(t: TestContext, flow: string, counter: Counter): Promise<ProductPage> {
    const shown = await ProductPage.open(product, counter);
    await shown.flow(t, flow);
    t.after(() => shown.close());
    await shown.sees('idle');
    await shown.press('menu');
    await shown.type(...password.split(''));
    await shown.press('ok');
    await shown.page.waitForSelector('[data-action="holds"]');
    return shown;
  }

  async function looked(shown: ProductPage, name: string): Promise<void> {
    await shown.page.waitForSelector('body:not([data-hold])');
    await shown.picture(name);
    assert.deepEqual(await axeViolations(shown.page), [], name);
  }

  /** What the transaction of the open list came to, once its confirmation is answered. */
  async function confirmed(shown: ProductPage, name: string): Promise<void> {
    await shown.page.waitForSelector('[data-action="yes"]');
    await looked(shown, `${name}-sure`);
    await shown.press('yes');
    await shown.press('back');
    await shown.page.waitForSelector('#waits');
    await looked(shown, name);
  }

  const book = async (): Promise<string[]> =>
    (await product.stage.ledger('CUP')).map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);

  for (const counter of menuCounters) {
    const name = `${counter.size}, ${counter.language}`;

    test(`${name}: a part is completed, the completion voided, and the hold released`, async (t) => {
      const { stage } = product;
      const { body } = await stage.paid('unionpay', { transactionType: 'AUTH', requestAmount: 70 });
      assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
      const shown = await unlocked(t, 'holds', counter);
      await looked(shown, 'menu');
      await shown.press('holds');
      await shown.page.waitForSelector('.row');
      assert.equal(await shown.page.locator('.row').count(), 1);
      await looked(shown, 'holds');
      await shown.tap('.row:first-child');
      await shown.page.waitForSelector('[data-action="VOID"]');
      await looked(shown, 'hold');
      await shown.press('AUTH_COMP');
      await shown.press('other-amount');
      await shown.type('5', '5');
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /^HKD 55\.00/);
      await confirmed(shown, 'completed');
      assert.ok((await book()).includes('AUTH_COMP 55.00 POSTED'), String(await book()));
      assert.equal(await shown.page.locator('[data-action="AUTH_COMP"]').count(), 0);
      await shown.press('back');
      await shown.press('back');

      // The completion is a transaction of the day; once it is voided, the hold is open again.
      await shown.press('today');
      await shown.tap('.row:first-child');
      await shown.press('VOID');
      await confirmed(shown, 'completion-voided');
      await shown.press('back');
      await shown.press('back');
      await shown.press('holds');
      await shown.tap('.row:first-child');
      await shown.press('VOID');
      await confirmed(shown, 'released');
      await shown.press('back');
      await shown.press('back');
      await shown.press('holds');
      await shown.page.locator('.row').waitFor({ state: 'detached' });
      await looked(shown, 'no-holds');
      assert.deepEqual(
        (await book()).filter((each) => /POSTED|HELD|APPROVED/.test(each)),
        [],
        String(await book()),
      );
      await shown.press('back');
    });
  }

  test('a hold of a settled batch is found and released', async (t) => {
    const { stage } = product;
    await stage.paid('unionpay', { transactionType: 'AUTH', requestAmount: 71 });
    await stage.settle();
    const shown = await unlocked(t, 'holds-settled', menuCounters[0] ?? assert.fail());
    await shown.press('holds');
    await shown.page.waitForSelector('.row');
    await shown.tap('.row:first-child');
    await shown.page.waitForSelector('[data-action="AUTH_COMP"]');
    await shown.press('VOID');
    await confirmed(shown, 'released');
    assert.deepEqual(
      (await book()).filter((each) => /71\.00/.test(each) && /HELD|APPROVED|POSTED/.test(each)),
      [],
    );
  });
});
