import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, CDPSession } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { ScreenPage } from './screen-page.ts';
import { ScriptedMenu } from './scripted-menu.ts';

/** Notes on the page what it has heard of the menu, after its own listeners. */
const noting = `
  window.EventSource = class extends EventSource {
    addEventListener(name, listener) {
      super.addEventListener(name, (event) => {
        listener(event);
        if (name === 'desk') document.body.dataset.heard = event.data.includes('paperOut');
      });
    }
  };
`;

/** A finger on the middle of a button, which the test lifts itself. */
async function finger({ page }: ScreenPage, selector: string): Promise<{ lift(): Promise<void> }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const box = (await page.locator(selector).boundingBox()) ?? assert.fail(selector);
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  return {
    async lift() {
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    },
  };
}

let browser: Browser;

describe('a press that is not as quick as a test’s', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  test('what the terminal tells meanwhile does not take it away, nor the keyboard’s place', async (t) => {
    const stage = await ScreenPage.open(t, browser, { before: noting });
    const menu = new ScriptedMenu();
    stage.screen.equip(menu);
    await stage.tap('[data-action="menu"]');
    for (const digit of '135792') await stage.tap(`[data-key="${digit}"]`);
    await stage.tap('#tender');
    await stage.tap('[data-action="devices"]');
    await stage.tap('[data-action="open-drawer"]');
    await stage.page.waitForSelector('body:not([data-hold]) [data-action="yes"]');
    await stage.page.focus('[data-action="yes"]');
    const touch = await finger(stage, '[data-action="yes"]');
    menu.changes({ notices: ['paperOut'] });
    await stage.page.waitForSelector('body[data-heard="true"]');
    assert.equal(await stage.page.evaluate('document.activeElement.dataset.action'), 'yes');
    await touch.lift();
    await stage.page.waitForSelector('[data-action="yes"]', { state: 'detached', timeout: 10_000 });
    const opened = menu.asked.filter((each) => (each as { kind: string }).kind === 'openDrawer');
    assert.equal(opened.length, 1);
  });
});
