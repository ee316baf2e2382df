import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { views } from '../screen/views.ts';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { keepPicture } from './pictures.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';

let browser: Browser;

/** Keeps every tone that the page begins: a browser without a sound device plays none. */
const listening = `
  window.tones = [];
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...when) {
    window.tones.push(this.frequency.value);
    return start.apply(this, when);
  };
`;

const logo = {
  type: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100"><rect width="300" height="100" rx="20" fill="#7a1f5c"/></svg>',
  ),
};

describe('the screen as a shop wants it', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      test(`${size}, ${language}: large words and high contrast, in every view`, async (t) => {
        const style = { text: 'large', contrast: 'high' } as const;
        const stage = await ScreenPage.open(t, browser, { size, language, style });
        await stage.page.evaluate('void (window.contrastLeast = 7)');
        const faults: string[] = [];
        for (const [name, view] of Object.entries(views)) {
          await stage.show(view);
          await keepPicture(stage.page, `${size}-${language}-large-${name}`);
          faults.push(...(await stage.faults()).map((fault) => `${name}: ${fault}`));
        }
        assert.deepEqual(faults, []);
      });
    }
  }

  test('large words are larger', async (t) => {
    const sizeOf = async (text: 'normal' | 'large') => {
      const stage = await ScreenPage.open(t, browser, { style: { text } });
      await stage.show(views['error'] ?? assert.fail());
      return stage.page.evaluate('Number.parseFloat(getComputedStyle(document.getElementById("money")).fontSize)');
    };
    const [normal, large] = [await sizeOf('normal'), await sizeOf('large')] as [number, number];
    assert.ok(large >= 1.2 * normal, `${large} of ${normal}`);
  });

  test('contrast follows the browser’s system, also while the page is open', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const ink = () => stage.page.evaluate('getComputedStyle(document.getElementById("title")).color');
    assert.notEqual(await ink(), 'rgb(0, 0, 0)');
    await stage.page.emulateMedia({ contrast: 'more' });
    await stage.page.waitForSelector('[data-contrast="high"]', { state: 'attached' });
    assert.equal(await ink(), 'rgb(0, 0, 0)');
    assert.deepEqual(await axeViolations(stage.page), []);
  });

  test('colours of the shop, and not those of an outcome', async (t) => {
    const stage = await ScreenPage.open(t, browser, { style: { colours: { band: '#7a1f5c', accent: '#0a5c2f' } } });
    const band = () => stage.page.evaluate('getComputedStyle(document.getElementById("band")).backgroundColor');
    const mark = () => stage.page.evaluate('getComputedStyle(document.getElementById("mark")).stroke');
    await stage.show(views['card'] ?? assert.fail());
    await keepPicture(stage.page, 'handheld-en-colours-card');
    assert.deepEqual([await band(), await mark()], ['rgb(122, 31, 92)', 'rgb(10, 92, 47)']);
    assert.deepEqual(await stage.faults(), []);
    await stage.show(views['approved'] ?? assert.fail());
    assert.deepEqual([await band(), await mark()], ['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)']);
  });

  for (const size of Object.keys(sizes) as Size[]) {
    test(`${size}: the shop’s logo greets, and gives way to the menu and to a payment`, async (t) => {
      const stage = await ScreenPage.open(t, browser, { size, shopLogo: logo });
      const shown = () => stage.page.locator('#logo').isVisible();
      await stage.page.waitForFunction('document.getElementById("logo").naturalWidth > 0').catch(() => undefined);
      assert.ok(await shown());
      assert.equal(await stage.page.locator('#mark').isVisible(), false);
      await keepPicture(stage.page, `${size}-en-logo-idle`);
      assert.deepEqual([...(await stage.faults()), ...(await axeViolations(stage.page))], []);
      await stage.show(views['card'] ?? assert.fail());
      assert.equal(await shown(), false);
    });
  }

  describe('sounds', () => {
    async function heard(t: Parameters<typeof ScreenPage.open>[0], sounds: boolean, name: string): Promise<number[]> {
      const stage = await ScreenPage.open(t, browser, { style: { sounds }, before: listening });
      await stage.show(views['card'] ?? assert.fail());
      await stage.page.evaluate('void (window.tones = [])');
      stage.screen.show(views[name] ?? assert.fail(name));
      await stage.shows(views[name]?.scene ?? '');
      return (await stage.page.evaluate('window.tones')) as number[];
    }

    test('an approval rises, anything else falls, and what is urgent is told three times', async (t) => {
      const [low = 0, high = 0, ...more] = await heard(t, true, 'approved');
      assert.ok(high > low && more.length === 0);
      for (const name of ['declined', 'error']) {
        const [first = 0, second = 0] = await heard(t, true, name);
        assert.ok(first > second && second > 0, name);
      }
      assert.equal((await heard(t, true, 'octopus-same')).length, 3);
      assert.deepEqual(await heard(t, true, 'processing'), []);
      assert.deepEqual(await heard(t, true, 'cancelled'), []);
    });

    test('a shop that has not asked for them hears nothing', async (t) => {
      for (const name of ['approved', 'declined', 'octopus-same']) assert.deepEqual(await heard(t, false, name), []);
    });
  });

  test('times are those of the shop, whatever the zone of the browser is', async (t) => {
    const zone = process.env['TZ'];
    t.after(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });
    process.env['TZ'] = 'Australia/Eucla';
    const stage = await ScreenPage.open(t, browser);
    const shown = "import('/time.js').then(({ timeText }) => timeText('2026-01-15T00:00:00Z'))";
    assert.equal(await stage.page.evaluate(shown), '08:45');
  });
});
