import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { byCash } from '../e2e/customer.ts';
import { password, poid } from '../e2e/operator.ts';
import { axeViolations } from './axe.ts';
import { menuCounters, ProductPage } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

describe('a drawer that did not open for a cash sale', () => {
  const product = productOfTests({ screen: { outcomeMs: 1_000 }, http: { tls: false } });
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  let opened = 0;
  for (const counter of menuCounters) {
    test(`${counter.size}, ${counter.language}: is told to the staff, and opened from there`, async (t) => {
      const { stage } = product;
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'drawer');
      t.after(() => shown.close());
      await shown.sees('idle');
      await stage.sim('POST', '/api/printer/fault', { unplug: true });
      await shown.page.waitForSelector('#waiting');
      const { body } = await stage.paid(byCash('50'), { requestAmount: 18 });
      assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
      const line = shown.page.locator('#waiting button', { hasText: /cash drawer did not open|錢箱未有開啟/ });
      await line.waitFor();
      await shown.picture('stayed-shut');
      assert.deepEqual(await axeViolations(shown.page), []);
      await stage.sim('POST', '/api/printer/fault', { unplug: false });
      await shown.page.waitForSelector('#waiting [data-action="receipts"]', { state: 'detached' });
      assert.equal(await line.count(), 1, 'it stays until it was opened');
      await line.tap();
      await shown.type(...password.split(''));
      await shown.press('ok');
      await shown.press('open-drawer');
      await shown.press('yes');
      await shown.press('back');
      await shown.press('back');
      await shown.press('today');
      await shown.page.waitForSelector('.row');
      opened += 1;
      const hint = await shown.text('hint');
      const said = { en: /^Drawer opened without a sale: (\d)/, 'zh-Hant-HK': /^非銷售開啟錢箱: (\d)/ } as const;
      const read = said[counter.language as keyof typeof said].exec(hint) ?? assert.fail(hint);
      assert.equal(Number(read[1]), opened);
      await shown.picture('today');
      assert.deepEqual(await axeViolations(shown.page), []);
      await shown.press('back');
      await shown.press('x-report');
      await shown.page.waitForSelector('#facts');
      assert.match((await shown.page.textContent('#facts')) ?? '', new RegExp(`(?:sale|錢箱)[^]*: ${opened}`));
      await shown.picture('x');
      await shown.press('back');
      await shown.press('leave');
      await line.waitFor({ state: 'detached' });
    });
  }
});
