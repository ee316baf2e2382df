import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { MenuView } from '../../src/payment/contracts/operator-menu.ts';
import { KeptMenu } from '../screen/kept-menu.ts';
import { views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { keepPicture } from './pictures.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';

let browser: Browser;

const some: Partial<MenuView> = { notices: ['paperOut'], receipts: 2 };
const all: Partial<MenuView> = {
  notices: ['readerAbsent', 'printerCoverOpen', 'clockUnsynchronised'],
  receipts: 12,
  unsettled: [
    { acquirer: 'EDC', batch: 123_456, actor: 'network' },
    { acquirer: 'OCTOPUS', batch: 999_999, actor: 'reader' },
  ],
  waiting: { reversals: 10, advices: 20, rejected: 3, unsendable: 2, batches: 1 },
};

describe('what an idle screen tells the staff', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      test(`${size}, ${language}: fits, beside a till’s text too, and each line opens the menu`, async (t) => {
        const stage = await ScreenPage.open(t, browser, { size, language });
        const menu = new KeptMenu();
        stage.screen.equip(menu);
        for (const [name, view] of Object.entries({ some, all })) {
          for (const beneath of ['idle', 'till-cart', 'till-largest']) {
            stage.screen.show(views[beneath] ?? assert.fail());
            menu.changes(view);
            await stage.page.waitForSelector('#waiting');
            await keepPicture(stage.page, `${size}-${language}-staff-${name}-${beneath}`);
            assert.deepEqual(await stage.faults(), [], `${name} ${beneath}`);
          }
        }
        // Until the last change has arrived, the page shows what was there before.
        await stage.page.locator('#waiting button').nth(3).waitFor();
        assert.equal(await stage.page.locator('#waiting button').count(), 4);
        for (const line of ['devices', 'receipts', 'bank', 'more']) {
          await stage.tap(`#waiting [data-action="${line}"]`);
          await stage.tap('[data-action="leave"]');
        }
        assert.equal(menu.asked.filter((each) => (each as { kind: string }).kind === 'look').length, 4);
        menu.changes({});
        await stage.page.waitForSelector('#waiting', { state: 'detached' });
      });
    }
  }
});
