import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { ScreenPage } from './screen-page.ts';

let browser: Browser;

describe('what a till shows', () => {
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());

  test('is text, whatever it holds, in a frame that says whose it is', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const markup = '<img src=x onerror="document.title=1"><b>Approved</b>';
    stage.screen.show({ scene: 'idle', till: { posId: '<i>POS</i>', text: [markup] } });
    await stage.page.waitForSelector('#till');
    assert.equal(await stage.page.textContent('#till-lines li'), markup);
    assert.equal(await stage.page.textContent('#till-from'), 'From the till: <i>POS</i>');
    assert.deepEqual(await stage.page.$$('#till :is(img, b, i)'), []);
    assert.equal(await stage.page.textContent('#title'), 'Welcome');
    assert.equal(await stage.page.textContent('#amount'), '');
    assert.deepEqual(stage.complaints, []);
  });

  test('is gone with the first view of a payment, also where that view has it', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const { till } = views['till-cart'] ?? assert.fail();
    stage.screen.show({ scene: 'idle', ...(till ? { till } : {}) });
    await stage.page.waitForSelector('#till');
    stage.screen.show({ ...(views['card'] ?? assert.fail()), ...(till ? { till } : {}) });
    await stage.shows('presentCard');
    assert.equal(await stage.page.$('#till'), null);
    assert.equal(await stage.page.textContent('#amount'), '1,234.50');
  });

  test('of a long cart the newest lines are seen, and how many are not', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    stage.screen.show(views['till-largest'] ?? assert.fail());
    await stage.page.waitForSelector('#till');
    const rows = await stage.page.$$eval('#till-lines li', (all) => all.map((row) => row.checkVisibility()));
    const hidden = rows.filter((isSeen) => !isSeen).length;
    assert.ok(rows.length === 50 && hidden > 0 && hidden < 49, String(hidden));
    assert.deepEqual(
      rows,
      rows.map((_, at) => at >= hidden),
    );
    assert.equal(await stage.page.textContent('#till-more'), `… ${hidden} more above`);
    assert.equal(await stage.page.textContent('#till-total'), 'TotalHKD 9,999,999,999.99');
  });
});
