import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { keepPicture } from './pictures.ts';
import { languages, ScreenPage, type Size, sizes } from './screen-page.ts';
import { ScriptedMenu } from './scripted-menu.ts';

/** Buttons from the menu to each panel, and the panel's name. */
const walk: readonly (readonly [string, string])[] = [
  ['[data-action="today"]', 'today'],
  ['.row', 'one'],
  ['[data-action="story"]', 'story'],
  ['[data-action="back"]', 'one-again'],
  ['[data-action="VOID"]', 'void-sure'],
  ['[data-action="no"]', 'one-kept'],
  ['[data-action="back"]', 'today-again'],
  ['[data-action="back"]', 'menu-1'],
  ['[data-action="holds"]', 'holds'],
  ['[data-action="back"]', 'menu-2'],
  ['[data-action="x-report"]', 'x'],
  ['[data-action="more"]', 'x-more'],
  ['[data-action="back"]', 'menu-3'],
  ['[data-action="settle"]', 'settle'],
  ['[data-action="all"]', 'settle-sure'],
  ['[data-action="yes"]', 'settled'],
  ['[data-action="to-menu"]', 'menu-4'],
  ['[data-action="settlements"]', 'settlements'],
  ['.row', 'z'],
  ['[data-action="back"]', 'settlements-again'],
  ['[data-action="back"]', 'menu-5'],
  ['[data-action="refund"]', 'refund'],
  ['[data-action="back"]', 'menu-6'],
  ['[data-action="receipt"]', 'receipts'],
  ['[data-action="back"]', 'menu-7'],
  ['[data-action="bank"]', 'bank'],
  ['.row', 'extra'],
  ['[data-action="givenBackInCash"]', 'give-back-sure'],
  ['[data-action="no"]', 'extra-kept'],
  ['[data-action="givenBackInCash"]', 'give-back-again'],
  ['[data-action="yes"]', 'given-back'],
  ['[data-action="to-menu"]', 'menu-8a'],
  ['[data-action="bank"]', 'bank-given'],
  ['.row:nth-child(2)', 'matter'],
  ['[data-action="voidMatter"]', 'void-matter-sure'],
  ['[data-action="no"]', 'matter-kept'],
  ['[data-action="settledWithCustomer"]', 'matter-sure'],
  ['[data-action="yes"]', 'matter-settled'],
  ['[data-action="to-menu"]', 'menu-8b'],
  ['[data-action="bank"]', 'bank-settled'],
  ['.row:nth-child(3)', 'cash-matter'],
  ['[data-action="givenBackInCash"]', 'cash-matter-sure'],
  ['[data-action="yes"]', 'cash-matter-settled'],
  ['[data-action="to-menu"]', 'menu-8d'],
  ['[data-action="bank"]', 'bank-cash-settled'],
  ['.row:nth-child(4)', 'discrepancy'],
  ['[data-action="settledWithBank"]', 'discrepancy-sure'],
  ['[data-action="yes"]', 'discrepancy-settled'],
  ['[data-action="to-menu"]', 'menu-8c'],
  ['[data-action="bank"]', 'bank-explained'],
  ['.row:nth-child(5)', 'batch'],
  ['[data-action="SETTLED"]', 'batch-sure'],
  ['[data-action="no"]', 'menu-8'],
  ['[data-action="bank"]', 'bank-again'],
  ['[data-action="more"]', 'bank-more'],
  ['.row', 'advice'],
  ['[data-action="back"]', 'bank-last'],
  ['[data-action="back"]', 'menu-9'],
  ['[data-action="devices"]', 'devices'],
  ['[data-action="open-drawer"]', 'drawer-sure'],
  ['[data-action="no"]', 'devices-again'],
  ['[data-action="back"]', 'menu-10'],
  ['[data-action="about"]', 'about'],
  ['[data-action="back"]', 'menu-11'],
  ['[data-action="pair"]', 'pairing'],
];

let browser: Browser;

// Each walk waits most of its time for panels that hold their buttons.
describe('the operator’s panels with much to tell', { concurrency: 4 }, () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  for (const size of Object.keys(sizes) as Size[]) {
    for (const language of languages) {
      test(`${size}, ${language}: each fits and can be read, and axe finds nothing`, async (t) => {
        const stage = await ScreenPage.open(t, browser, { size, language });
        stage.screen.equip(new ScriptedMenu());
        await stage.tap('[data-action="menu"]');
        for (const digit of '135792') await stage.tap(`[data-key="${digit}"]`);
        await stage.tap('#tender');
        const found: string[] = [];
        const judge = async (name: string) => {
          await stage.page.waitForSelector('body:not([data-hold]) #controls:not(:has(#working))');
          await keepPicture(stage.page, `${size}-${language}-desk-${name}`);
          const faults = [...(await stage.faults()), ...(await axeViolations(stage.page))];
          found.push(...faults.map((each) => `${name}: ${each}`));
        };
        await stage.page.waitForSelector('[data-action="today"]');
        await judge('menu');
        for (const [selector, name] of walk) {
          await stage.tap(selector);
          if (!name.includes('-again') && !name.startsWith('menu')) await judge(name);
        }
        assert.deepEqual(found, []);
      });
    }
  }
});
