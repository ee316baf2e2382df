import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const directory = process.env['POID_SCREENSHOTS'];

/**
 * Keeps what a page shows for those who want to look at it, in the directory that POID_SCREENSHOTS names. Without one no picture
 * is taken, as nothing is asserted of it, and only the fonts are waited for, as a picture does too.
 */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (directory === undefined) {
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    return;
  }
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: path.join(directory, `${name}.png`) });
}
