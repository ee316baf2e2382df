import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ScreenView } from '../../src/payment/contracts/screen.ts';
import { type ScreenServer, serveScreen } from '../../src/screen/server.ts';
import { KeptMenu } from '../screen/kept-menu.ts';
import { views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { type Size, sizes } from './screen-page.ts';

let browser: Browser;

/** What a customer sees of sales, a view of another scene each time. */
const sales = [
  ['choose', 'card', 'processing', 'approved', 'idle'],
  ['tip', 'card-tip', 'pin', 'processing', 'approved-sign', 'idle'],
  ['scan', 'processing-phone', 'approved-wallet', 'idle'],
  ['code', 'processing', 'cancelled-code', 'idle'],
  ['octopus', 'approved-octopus', 'octopus-same', 'error-unknown', 'idle'],
  ['account', 'pin', 'processing', 'approved-cashback', 'idle'],
  ['cash', 'approved-cash', 'card', 'processing-reversing', 'error', 'card-insert', 'declined', 'idle'],
] as const;

/** Run before the page's own scripts: what moves without anybody having pressed anything (Layout Instability, 2). */
const watching = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shifts.push([value, ...sources.map(({ node }) => node?.id || node?.nodeName)].join(' '));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Two frames later what was drawn has been painted, and told to the observer. */
const painted = `document.fonts.ready.then(() => new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0)))))`;

describe('what the page paints', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  async function loaded(
    t: TestContext,
    size: Size,
    view: ScreenView,
  ): Promise<{ readonly page: Page; readonly screen: ScreenServer }> {
    const screen = await serveScreen(0);
    t.after(() => screen.close());
    const menu = new KeptMenu();
    screen.equip(menu);
    screen.show(view);
    const context = await browser.newContext({ viewport: sizes[size], reducedMotion: 'reduce' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(watching);
    await page.goto(`http://127.0.0.1:${screen.port}/`);
    await page.waitForSelector(`body[data-scene="${view.scene}"]`);
    await page.evaluate(painted);
    return { page, screen };
  }

  for (const size of Object.keys(sizes) as Size[]) {
    for (const name of ['idle', 'card', 'choose-all', 'code', 'cash', 'tip', 'approved', 'error']) {
      test(`${size}, ${name}: a page that is loaded moves nothing that it has shown`, async (t) => {
        const { page } = await loaded(t, size, views[name] ?? assert.fail());
        assert.deepEqual(await page.evaluate('window.shifts'), []);
        const [paint] = (await page.evaluate(
          `performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime)`,
        )) as number[];
        assert.ok(paint !== undefined, 'something was painted');
        t.diagnostic(`first contentful paint after ${paint.toFixed(0)} ms`);
      });
    }
  }

  for (const size of Object.keys(sizes) as Size[]) {
    for (const names of sales) {
      test(`${size}, ${names.join(', ')}: each scene of a sale comes in one frame, and nothing moves after it`, async (t) => {
        const { page, screen } = await loaded(t, size, { scene: 'idle' });
        for (const name of names) {
          const view = views[name] ?? assert.fail(name);
          screen.show(view);
          await page.waitForSelector(`body[data-scene="${view.scene}"]`);
          await page.evaluate(painted);
          const frames = (await page.evaluate('window.shifts.splice(0)')) as string[];
          assert.ok(frames.length <= 1, `${name}: ${frames.join('; ')}`);
        }
        await page.evaluate(painted);
        assert.deepEqual(await page.evaluate('window.shifts'), []);
      });
    }
  }

  test('what moves is told: the premise of the others', async (t) => {
    const { page } = await loaded(t, 'handheld', { scene: 'idle' });
    await page.evaluate('void (document.getElementById("title").style.marginTop = "200px")');
    await page.evaluate(painted);
    assert.notDeepEqual(await page.evaluate('window.shifts'), []);
  });
});
