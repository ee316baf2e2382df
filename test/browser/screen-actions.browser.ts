import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { ScreenView } from '../../src/payment/contracts/screen.ts';
import { serveScreen } from '../../src/screen/server.ts';
import { transaction, views } from '../screen/views.ts';
import { launchChromium } from './chromium.ts';
import { ScreenPage } from './screen-page.ts';

let browser: Browser;

describe('the screen’s buttons', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  function view(name: string): ScreenView {
    return views[name] ?? assert.fail(name);
  }

  describe('a button', () => {
    const presses: readonly (readonly [name: string, buttons: readonly string[], action: object])[] = [
      ['choose', ['[data-action="choose"][data-mode="QR_SCAN"]'], { kind: 'choose', mode: 'QR_SCAN' }],
      ['choose', ['[data-action="choose"][data-mode="QR_PRESENT"]'], { kind: 'choose', mode: 'QR_PRESENT' }],
      ['choose', ['[data-action="choose"][data-mode="OCTOPUS"]'], { kind: 'choose', mode: 'OCTOPUS' }],
      ['choose', ['[data-action="choose"][data-mode="EPS"]'], { kind: 'choose', mode: 'EPS' }],
      ['choose', ['[data-action="choose"][data-mode="CASH"]'], { kind: 'choose', mode: 'CASH' }],
      ['choose-all', ['[data-action="choose"][data-mode="CARD"]'], { kind: 'choose', mode: 'CARD' }],
      ['choose', ['[data-action="cancel"]'], { kind: 'cancel' }],
      ['card', ['[data-action="cancel"]'], { kind: 'cancel' }],
      ['card', ['[data-action="others"]', '[data-action="cancel"]'], { kind: 'cancel' }],
      ['card', ['[data-action="others"]', '[data-mode="OCTOPUS"]'], { kind: 'choose', mode: 'OCTOPUS' }],
      ['octopus', ['[data-action="others"]', '[data-mode="CARD"]'], { kind: 'choose', mode: 'CARD' }],
      ['account', ['[data-account="SAVINGS"]'], { kind: 'account', account: 'SAVINGS' }],
      ['account', ['[data-account="CURRENT"]'], { kind: 'account', account: 'CURRENT' }],
      ['code', ['[data-wallet="FPS"]'], { kind: 'wallet', scheme: 'FPS' }],
      ['code-coming', ['[data-wallet="UPI_QR"]'], { kind: 'wallet', scheme: 'UPI_QR' }],
      ['processing-phone', ['[data-action="cancel"]'], { kind: 'cancel' }],
      ['tip', ['[data-tip="185.18"]'], { kind: 'tip', amount: '185.18' }],
      ['tip', ['[data-tip="0.00"]'], { kind: 'tip', amount: '0.00' }],
      ['tip-yen', ['[data-tip="0"]'], { kind: 'tip', amount: '0' }],
      ['tip', ['[data-action="cancel"]'], { kind: 'cancel' }],
      ['tip', ['[data-action="other-tip"]', '[data-action="cancel"]'], { kind: 'cancel' }],
      [
        'tip',
        ['[data-action="other-tip"]', '[data-key="6"]', '[data-key="."]', '[data-key="5"]', '[data-action="ok"]'],
        { kind: 'ownTip', amount: '6.50' },
      ],
      [
        'tip',
        ['[data-action="other-tip"]', '[data-action="back"]', '[data-tip="20.00"]'],
        { kind: 'tip', amount: '20.00' },
      ],
      ['tip-own', ['[data-action="tip"]'], { kind: 'tip', amount: '66.00' }],
      ['tip-own', ['[data-action="change-tip"]', '[data-tip="0.00"]'], { kind: 'tip', amount: '0.00' }],
      [
        'tip-own',
        ['[data-action="change-tip"]', '[data-action="other-tip"]', '[data-key="7"]', '[data-action="ok"]'],
        { kind: 'ownTip', amount: '7.00' },
      ],
      ['cash', ['[data-quick="exact"]', '[data-action="tender"]'], { kind: 'tender', amount: '1234.50' }],
      ['cash', ['[data-quick="1250"]', '[data-action="tender"]'], { kind: 'tender', amount: '1250.00' }],
      ['cash-yen', ['[data-quick="15000"]', '[data-action="tender"]'], { kind: 'tender', amount: '15000' }],
      ['cash-dinar', ['[data-quick="15"]', '[data-action="tender"]'], { kind: 'tender', amount: '15.000' }],
      ['cash-largest', ['[data-quick="exact"]', '[data-action="tender"]'], { kind: 'tender', amount: '9999999999.99' }],
    ];
    test('sends what it says, and names its transaction', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      for (const [name, buttons, action] of presses) {
        await stage.show(view(name));
        for (const button of buttons) await stage.tap(button);
        const heard = await stage.heard(1);
        assert.deepEqual(heard, [{ ...action, transaction }], `${name}: ${buttons.join(' ')}`);
        stage.actions.length = 0;
      }
      assert.deepEqual(stage.complaints, []);
    });

    test('pressed twice sends once; all wait for the next view', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await stage.show(view('choose'));
      await page.dblclick('[data-mode="CASH"]');
      await stage.heard(1);
      assert.ok(await page.isDisabled('[data-mode="CASH"]'));
      assert.ok(await page.isDisabled('[data-action="cancel"]'));
      assert.ok(await page.isEnabled('#language'));
      stage.screen.show({ ...view('choose'), hint: 'presentAgain' });
      await page.tap('[data-action="cancel"]');
      assert.deepEqual(
        (await stage.heard(2)).map(({ kind }) => kind),
        ['choose', 'cancel'],
      );
    });

    test('can be pressed again after three seconds without a view, and not before', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await stage.show(view('card'));
      await page.waitForSelector('body:not([data-hold])');
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.tap('[data-action="cancel"]');
      await stage.heard(1);
      await page.clock.runFor(2_999);
      assert.ok(await page.isDisabled('[data-action="cancel"]'));
      await page.clock.runFor(1);
      await page.tap('[data-action="cancel"]');
      await stage.heard(2);
    });

    test('is not hit by the second tap of a double tap that brought it', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await page.waitForSelector('body:not([data-hold])');
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await stage.show(view('card'));
      const cancel = page.locator('[data-action="cancel"]');
      assert.ok(await cancel.isDisabled());
      await page.clock.runFor(349);
      assert.ok(await cancel.isDisabled());
      // The first hint of a collection comes at once: it is no reason to press sooner.
      stage.screen.show({ ...view('card'), hint: 'holdCard' });
      await page.waitForSelector('body[data-tone="notice"]');
      assert.ok(await cancel.isDisabled());
      await page.clock.runFor(1);
      assert.ok(await cancel.isEnabled());
    });

    test('is there only where it can do something', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const shown = async (name: string) => {
        await stage.show(view(name));
        const buttons = await stage.page.locator('main button').evaluateAll((all) =>
          all.map((each) => {
            const { action, mode, account, wallet } = each.dataset;
            return [action, mode ?? account ?? wallet].filter((part) => part !== undefined).join(' ');
          }),
        );
        return buttons.join(', ');
      };
      assert.equal(
        await shown('choose'),
        'choose QR_SCAN, choose QR_PRESENT, choose OCTOPUS, choose EPS, choose CASH, cancel',
      );
      assert.equal(await shown('choose-without-card'), 'choose QR_SCAN, choose CASH, cancel');
      assert.equal(await shown('card-contactless'), 'cancel');
      assert.equal(await shown('card-bare'), '');
      assert.equal(await shown('processing'), '');
      assert.equal(await shown('octopus-same'), '');
      assert.equal(await shown('code-one-wallet'), 'others, cancel');
      assert.equal(await shown('account'), 'account SAVINGS, account CURRENT, others, cancel');
      assert.equal(await shown('pin'), 'others, cancel');
      for (const name of ['idle', 'approved', 'declined', 'error']) assert.equal(await shown(name), '', name);
    });
  });

  describe('the other ways to pay', () => {
    test('leave out the present one, and go when something new must be seen', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await stage.show(view('card'));
      await page.tap('[data-action="others"]');
      assert.equal(await page.locator('[data-action="choose"]').count(), 5);
      assert.equal(await page.locator('[data-mode="CARD"]').count(), 0);
      await page.tap('[data-action="back"]');
      assert.equal(await page.locator('[data-action="choose"]').count(), 0);
      await page.tap('[data-action="others"]');
      stage.screen.show({ ...view('card'), hint: 'presentAgain' });
      await page.waitForSelector('[data-action="others"]');
      assert.match((await page.textContent('#hint')) ?? '', /present the card again/);
      assert.deepEqual(stage.actions, []);
    });
  });

  describe('the till', () => {
    test('reckons while it is typed, and takes only what is enough', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await stage.show(view('cash'));
      const type = async (...keys: string[]) => {
        for (const key of keys) await stage.tap(`[data-key="${key}"]`);
        return [
          await page.textContent('#tendered'),
          await page.textContent('#change'),
          await page.isEnabled('#tender'),
        ];
      };
      assert.deepEqual(await type(), ['HKD 0', 'HKD 1,234.50', false]);
      assert.deepEqual(await type('1', '2', '00'), ['HKD 1,200', 'HKD 34.50', false]);
      assert.deepEqual(await type('erase', 'erase', '3', '4', '.', '4', '9'), ['HKD 1,234.49', 'HKD 0.01', false]);
      assert.deepEqual(await type('erase', '5'), ['HKD 1,234.45', 'HKD 0.05', false]);
      assert.deepEqual(await type('erase', 'erase', '5'), ['HKD 1,234.5', 'HKD 0.00', true]);
      assert.match((await page.textContent('#sides')) ?? '', /Change/);
      assert.deepEqual(await type('erase', 'erase', '0'), ['HKD 12,340', 'HKD 11,105.50', true]);
      await page.tap('#tender');
      assert.deepEqual(await stage.heard(1), [{ kind: 'tender', amount: '12340.00', transaction }]);
    });

    test('keeps what was typed when the language changes, and forgets it with the payment', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      const { page } = stage;
      await stage.show(view('cash'));
      await page.tap('[data-key="7"]');
      await page.tap('#language');
      assert.equal(await page.textContent('#tendered'), 'HKD 7');
      await stage.show(view('card'));
      await stage.show(view('cash'));
      assert.equal(await page.textContent('#tendered'), 'HKD 0');
    });

    test('has no point for a currency without cents', async (t) => {
      const stage = await ScreenPage.open(t, browser);
      await stage.show(view('cash-yen'));
      assert.equal(await stage.page.locator('[data-key="."]').count(), 0);
    });
  });

  test('the language is remembered', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const { page } = stage;
    await stage.show(view('approved'));
    assert.equal(await page.textContent('#title'), 'Approved');
    await page.tap('#language');
    assert.equal(await page.textContent('#title'), '交易成功');
    assert.equal(await page.textContent('#language'), '简体中文');
    await page.reload();
    await stage.shows('approved');
    assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hant-HK');
    assert.equal(await page.textContent('#title'), '交易成功');
  });

  test('the terminal goes: nothing old stands there; it comes back: so does the page, by itself', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const { page, screen } = stage;
    await stage.show({ ...view('code'), cancellable: true });
    await screen.close();
    await stage.shows('offline');
    assert.equal(await page.textContent('#title'), 'Terminal is starting');
    assert.equal(await page.locator('#code, main button').count(), 0);
    assert.equal(await page.textContent('#amount'), '');
    const again = await serveScreen(screen.port);
    t.after(() => again.close());
    again.show(view('declined'));
    await stage.shows('declined');
    assert.equal(await page.locator('#code').count(), 0);
  });

  test('what the page does not know does not leave the last view standing', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    await stage.show(view('approved'));
    stage.screen.show({ scene: 'celebrating' } as unknown as ScreenView);
    await stage.shows('offline');
  });

  test('no words of a view are taken for markup', async (t) => {
    const stage = await ScreenPage.open(t, browser);
    const currency = '<img src=x onerror=alert(1)>';
    await stage.show({ ...view('approved-cash'), currency });
    assert.equal(await stage.page.locator('#currency *, img:not(#logo)').count(), 0);
    assert.equal(await stage.page.textContent('#currency'), currency);
    assert.deepEqual(stage.complaints, []);
  });
});
