import type { Page } from 'playwright-core';

/** As long as the buttons of a new view stay held: settleMs of src/screen/page/presses.js. */
const settleMs = 350;

/**
 * Ends the time for which the buttons of a new view are held against a double tap, where they are. The page's clock, which the
 * test has installed, goes on at its own pace otherwise: what a press waits for is waited for.
 */
export async function settle(page: Page): Promise<void> {
  if ((await page.evaluate('document.body.dataset.hold')) === 'settling') await page.clock.runFor(settleMs);
}
