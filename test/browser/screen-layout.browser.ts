import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { scenes } from '../../src/payment/contracts/screen.ts';
import { longestCode, views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { keepPicture } from './pictures.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';

/** The fonts of a desktop, and of a firmware that has one wide font without Chinese. */
const fonts = { rich: undefined, poor: '"DejaVu Sans", "Terminal Unifont"' };

let browser: Browser;

describe('the screen’s layout', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  test('the views of these tests are of every scene', () => {
    const shown = new Set(Object.values(views).map(({ scene }) => scene));
    assert.deepEqual([...shown].sort(), [...scenes].sort());
  });

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      for (const [firmware, family] of Object.entries(fonts)) {
        test(`${size}, ${language}, ${firmware} fonts: every view fits and can be read`, async (t) => {
          const stage = await ScreenPage.open(t, browser, { size, language });
          const { page } = stage;
          if (family !== undefined) {
            await page.evaluate(`document.documentElement.style.setProperty('--fonts', ${JSON.stringify(family)})`);
            await page.evaluate('document.fonts.load("20px Terminal Unifont", "\\u4e2d")');
          }
          const faults: string[] = [];
          const judge = async (name: string) => {
            faults.push(...(await stage.faults()).map((fault) => `${name}: ${fault}`));
            await keepPicture(page, `${size}-${language}-${firmware}-${name}`);
          };
          for (const [name, view] of Object.entries(views)) {
            await stage.show(view);
            await judge(name);
          }
          await stage.show(views['card-largest-auth'] ?? assert.fail());
          await page.click('[data-action="others"]');
          await judge('others');
          await stage.show(views['tip-largest'] ?? assert.fail());
          await page.click('[data-action="other-tip"]');
          for (const key of '4999999999.99') await page.click(`[data-key="${key}"]`);
          await judge('tip-entered');
          await stage.show(views['cash'] ?? assert.fail());
          await page.click('[data-quick="1300"]');
          await judge('cash-enough');
          await stage.screen.close();
          await stage.shows('offline');
          await judge('offline');
          assert.deepEqual(faults, []);
        });
      }
    }
  }

  describe('a code on the display', () => {
    for (const [size, least] of [
      ['handheld', 290],
      ['counter', 400],
    ] as const) {
      for (const name of ['code', 'code-longest'] as const) {
        test(`${size}: ${name} is read from the picture, and every module has the same dots`, async (t) => {
          const stage = await ScreenPage.open(t, browser, { size });
          const view = views[name] ?? assert.fail();
          await stage.show(view);
          const drawing = stage.page.locator('#code svg');
          const { data, width, height } = PNG.sync.read(await drawing.screenshot());
          assert.equal(decodeQR({ data, width, height }, { effort: 10, timeLimit: 10_000 }), view.code);
          assert.ok(width >= least, `${width} dots`);
          const modules = Number((await drawing.getAttribute('viewBox'))?.split(' ')[2]);
          assert.equal(Number(await drawing.getAttribute('width')) % modules, 0);
          const colours = new Set<number>();
          for (let at = 0; at < data.length; at += 4) colours.add(data.readUIntBE(at, 3));
          assert.deepEqual(
            [...colours].sort((a, b) => a - b),
            [0, 0xffffff],
            'black and white, nothing between',
          );
        });
      }
    }

    test('grows and shrinks with the window', async (t) => {
      const stage = await ScreenPage.open(t, browser, { size: 'counter' });
      await stage.show({ ...(views['code'] ?? assert.fail()), code: longestCode });
      const width = async () => Number(await stage.page.locator('#code svg').getAttribute('width'));
      const wide = await width();
      await stage.page.setViewportSize(sizes.handheld);
      // Asked again from here: a predicate that the page evaluates a second time meets the page's own Content-Security-Policy.
      while ((await width()) >= wide);
      assert.deepEqual(await stage.faults(), []);
    });
  });

  test('a customer who wants no motion sees none', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    for (const name of ['card', 'processing', 'scan', 'octopus-same', 'code-coming', 'card-insert']) {
      await stage.show(views[name] ?? assert.fail());
      assert.equal(await stage.page.evaluate('document.getAnimations().length'), 0, name);
    }
    await stage.page.emulateMedia({ reducedMotion: 'no-preference' });
    await stage.show(views['processing'] ?? assert.fail());
    assert.equal(await stage.page.evaluate('document.getAnimations().length'), 1);
  });
});
