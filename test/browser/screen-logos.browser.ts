import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { keepPicture } from './pictures.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';

let browser: Browser;
const view = views['code-eight-wallets'] ?? assert.fail();

/** One is wide, one is high. */
function logo(width: number, height: number): Buffer {
  const picture = new PNG({ width, height });
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([0xd0, (at / 8) % 256, 0x30, 0xff], at);
  return PNG.sync.write(picture);
}

const logos = new Map((view.wallets ?? []).map((scheme, at) => [scheme, at % 2 === 0 ? logo(240, 60) : logo(40, 128)]));

describe('logos of eight wallets on the screen', () => {
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      test(`${size}, ${language}: all are drawn, nothing is cut off or lies over something else`, async (t) => {
        const stage = await ScreenPage.open(t, browser, { size, language, logos });
        await stage.show(view);
        const drawn = await stage.page.evaluate(
          `Promise.all([...document.querySelectorAll('#wallets img')].map((each) => each.decode().then(() => each.naturalWidth)))`,
        );
        assert.deepEqual(drawn, [240, 40, 240, 40, 240, 40, 240, 40]);
        assert.deepEqual(await stage.faults(), []);
        assert.deepEqual(stage.complaints, []);
        // The longest code that there can be has three dots a module, also beside all of them.
        const box = await stage.page.locator('#code svg').boundingBox();
        assert.ok((box?.width ?? 0) >= 255, `the code is ${box?.width} wide`);
        await keepPicture(stage.page, `${size}-${language}-logos`);
      });
    }
  }
});
