import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { scenes } from '../../src/payment/contracts/screen.ts';
import { KeptMenu } from '../screen/kept-menu.ts';
import { views } from '../screen/views.ts';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';

/** One of each script: every view is looked at there. Elsewhere one view of each scene is enough. */
const thorough = new Set(['handheld en', 'counter zh-Hant-HK']);
const firstOfEachScene = scenes.map(
  (scene) => Object.keys(views).find((name) => views[name]?.scene === scene) ?? assert.fail(scene),
);

let browser: Browser;

describe('axe finds nothing', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      const isThorough = thorough.has(`${size} ${language}`);
      const names = isThorough ? Object.keys(views) : firstOfEachScene;
      test(`${size}, ${language}: in any ${isThorough ? 'view' : 'scene'}, nor when the terminal is away`, async (t) => {
        const stage = await ScreenPage.open(t, browser, { size, language });
        const found: string[] = [];
        const judge = async (name: string) => {
          found.push(...(await axeViolations(stage.page)).map((each) => `${name}: ${each}`));
        };
        for (const name of names) {
          await stage.show(views[name] ?? assert.fail());
          await judge(name);
        }
        await stage.show(views['card'] ?? assert.fail());
        await stage.tap('[data-action="others"]');
        await judge('others');
        await stage.show(views['tip'] ?? assert.fail());
        await stage.tap('[data-action="other-tip"]');
        await judge('tip-entered');
        await stage.screen.close();
        await stage.shows('offline');
        await judge('offline');
        assert.deepEqual(found, []);
      });
    }
  }

  test('in what is told to the staff, nor at the door of the operator’s menu', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const menu = new KeptMenu();
    stage.screen.equip(menu);
    menu.changes({ notices: ['paperOut', 'readerAbsent'], receipts: 2 });
    await stage.page.waitForSelector('#waiting');
    assert.deepEqual(await axeViolations(stage.page), []);
    await stage.tap('[data-action="menu"]');
    await stage.page.waitForSelector('#typed', { state: 'attached' });
    assert.deepEqual(await axeViolations(stage.page), []);
  });

  test('axe would find something: a picture without a name', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    await stage.page.evaluate('void document.querySelector("main").append(document.createElement("img"))');
    assert.deepEqual(await axeViolations(stage.page), ['image-alt: main > img']);
  });
});
