import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { KeptMenu } from '../screen/kept-menu.ts';
import { views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { ScreenPage } from './screen-page.ts';

let browser: Browser;

describe('what was typed stays when the terminal tells the operator’s menu something new', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  async function opened(...given: Parameters<typeof ScreenPage.open>) {
    const stage = await ScreenPage.open(...given);
    const menu = new KeptMenu();
    stage.screen.equip(menu);
    const typed = () => stage.page.textContent('#typed');
    const type = async (keys: string) => {
      for (const key of keys) await stage.tap(`[data-key="${key}"]`);
    };
    /** Resolves once the page has drawn it. */
    const report = async (reversals: number) => {
      await stage.page.evaluate('document.getElementById("panel").firstElementChild.dataset.old = ""');
      menu.changes({ waiting: { reversals, advices: 0, rejected: 0, unsendable: 0, batches: 0 } });
      await stage.page.waitForSelector('#panel > :not([data-old])');
    };
    return { stage, menu, typed, type, report };
  }

  test('a password', async (t) => {
    const { stage, menu, typed, type, report } = await opened(t, browser);
    menu.changes({});
    await stage.tap('[data-action="menu"]');
    await type('246');
    await report(1);
    assert.equal(await typed(), '•••');
    await type('813');
    await report(0);
    await stage.tap('[data-action="ok"]');
    while (menu.asked.length < 2) await stage.page.evaluate('0');
    assert.deepEqual(menu.asked, [{ kind: 'look' }, { kind: 'login', password: '246813' }]);
    await stage.tap('[data-key="1"]');
    assert.equal(await typed(), '•', 'nothing of a refused password is left');
  });

  test('a tip', async (t) => {
    const { stage, typed, type, report } = await opened(t, browser);
    await stage.show(views['tip'] ?? assert.fail());
    await stage.tap('[data-action="other-tip"]');
    await type('12');
    await report(1);
    await type('3');
    assert.match((await typed()) ?? '', / 123$/);
    await stage.tap('[data-action="back"]');
    await stage.tap('[data-action="other-tip"]');
    assert.match((await typed()) ?? '', / 0$/);
  });
});
