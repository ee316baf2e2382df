import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { testScreen } from '../../src/admin/selftest/screen.ts';
import { serveScreen } from '../../src/screen/server.ts';
import { launchChromium } from './chromium.ts';

const patienceMs = 20_000;

let browser: Browser;
before(async () => (browser = await launchChromium()));
after(() => browser.close());

test('the terminal’s browser, left open when the service stopped, shows the self-test’s payment and feels a touch', async () => {
  const daemon = await serveScreen(0);
  const { port } = daemon;
  const page = await browser.newPage({ viewport: { width: 800, height: 480 } });
  await page.goto(`http://127.0.0.1:${port}`);
  await page.getByText('Welcome').waitFor();
  await daemon.close();
  let clicked: Promise<void> | undefined;
  const person = {
    show(text: string) {
      if (text.startsWith('Touch Cancel')) clicked = page.getByText('Cancel').first().click();
    },
    async confirm(question: string) {
      const [amount = ''] = /\d+\.\d\d/.exec(question) ?? [];
      await page.getByText(amount).or(page.getByText('1,234.56')).first().waitFor({ timeout: patienceMs });
      return true;
    },
  };
  const screen = { port, currency: 'HKD' as const, outcomeMs: 5_000, languages: ['en' as const] };
  const found = await testScreen({ screen }, person, patienceMs);
  await clicked;
  assert.deepEqual(
    found.map(({ part, verdict }) => [part, verdict]),
    [
      ['display', 'PASS'],
      ['touch', 'PASS'],
    ],
  );
  await page.close();
});
