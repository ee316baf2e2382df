import assert from 'node:assert/strict';
import { before, describe, test, type TestContext } from 'node:test';
import { password, poid } from '../e2e/operator.ts';
import { pageWords } from '../screen/page-module.ts';
import { menuCounters, ProductPage } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

describe('the operator’s reports and devices', () => {
  const product = productOfTests({ screen: { outcomeMs: 1_500 }, http: { tls: false } }, { replyTimeoutMs: 3_000 });
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  async function unlocked(t: TestContext, flow: string, counter: (typeof menuCounters)[number]): Promise<ProductPage> {
    const shown = await ProductPage.open(product, counter);
    await shown.flow(t, flow);
    t.after(() => shown.close());
    await shown.sees('idle');
    await shown.press('menu');
    await shown.type(...password.split(''));
    await shown.press('ok');
    await shown.page.waitForSelector('[data-action="x-report"]');
    return shown;
  }

  for (const counter of menuCounters) {
    const name = `${counter.size}, ${counter.language}`;

    test(`${name}: X on screen and paper, one acquirer settled, and its Z again`, async (t) => {
      const { stage } = product;
      await stage.paid('visa');
      await stage.paid('unionpay', { requestAmount: 12.5 });
      const shown = await unlocked(t, 'report', counter);
      await shown.picture('menu');
      await shown.press('x-report');
      await shown.page.waitForSelector('#facts');
      const facts = (await shown.page.textContent('#facts')) ?? '';
      assert.match(facts, /\(2\)HKD 42\.50/);
      await shown.picture('x');
      await shown.press('more');
      await shown.picture('x-more');
      await stage.sim('DELETE', '/api/printer/paper');
      await shown.press('print');
      await shown.press('back');
      assert.match(await stage.paper(), /X REPORT[^]*BY BRAND[^]*42\.50|X REPORT[^]*30\.00[^]*12\.50/);
      await shown.press('back');

      await shown.press('settle');
      await shown.page.waitForSelector('[data-acquirer="EDC"]');
      assert.match((await shown.page.textContent('[data-acquirer="EDC"]')) ?? '', /HKD 30\.00 \(1\)/);
      await shown.tap('[data-acquirer="EDC"]');
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /^EDC .*HKD 30\.00 \(1\)$/);
      await shown.picture('settle-sure');
      await shown.press('yes');
      await shown.page.waitForSelector('#facts');
      assert.match((await shown.page.textContent('#facts')) ?? '', /^EDC[^]*HKD 30\.00 \(1\)$/);
      await shown.picture('settled');
      await shown.press('to-menu');

      await shown.press('settlements');
      await shown.page.waitForSelector('.row');
      await shown.picture('settlements');
      await shown.tap('.row:first-child');
      await shown.page.waitForSelector('[data-action="slip"]');
      assert.match((await shown.page.textContent('#facts')) ?? '', /\(1\)HKD 30\.00/);
      await shown.picture('z');
      await stage.sim('DELETE', '/api/printer/paper');
      await shown.press('slip');
      await shown.press('back');
      assert.match(await stage.paper(), /DUPLICATE[^]*SETTLEMENT[^]*EDC[^]*30\.00/);
    });

    test(`${name}: a batch that its bank did not settle is tried again`, async (t) => {
      const { stage } = product;
      await stage.paid('unionpay', { requestAmount: 12.5 });
      await stage.host('CUP', { mode: 'down' });
      const shown = await unlocked(t, 'try-again', counter);
      await shown.press('settle');
      await shown.tap('[data-acquirer="CUP"]');
      await shown.press('yes');
      await shown.page.waitForSelector('[data-action="again"]');
      const { troubles } = await pageWords<{ troubles: { hostUnreachable: string } }>(
        counter.language === 'en' ? 'words-en' : 'words-zh-hant',
      );
      assert.ok((await shown.page.textContent('#facts'))?.includes(troubles.hostUnreachable));
      await shown.picture('failed');
      await stage.host('CUP', { mode: 'up' });
      await shown.press('again');
      await shown.page.waitForSelector('#facts');
      await shown.page.waitForSelector('[data-action="again"]', { state: 'detached' });
      await shown.page.waitForSelector('#facts');
      await shown.picture('settled');
      await shown.press('to-menu');
    });

    test(`${name}: devices with what to do, a test print, the drawer, the network, the language`, async (t) => {
      const { stage } = product;
      const shown = await unlocked(t, 'devices', counter);
      await shown.press('devices');
      await shown.page.waitForSelector('#facts');
      await shown.picture('devices');
      await stage.sim('DELETE', '/api/printer/paper');
      await shown.press('test-print');
      await shown.press('back');
      assert.match(await stage.paper(), /TEST PRINT/);
      await stage.sim('POST', '/api/printer/fault', { paperOut: true });
      await shown.press('test-print');
      await shown.page.waitForSelector('#hint:not(:empty)');
      await shown.picture('no-paper');
      await shown.press('back');
      await shown.page.waitForSelector('#facts');
      await shown.picture('devices-no-paper');
      await stage.sim('POST', '/api/printer/fault', { paperOut: false });
      await shown.press('open-drawer');
      await shown.picture('drawer-sure');
      await shown.press('yes');
      await shown.press('back');
      await shown.press('back');
      await shown.press('about');
      await shown.page.waitForSelector('#facts');
      await shown.picture('network');
      await shown.press('back');
      const before = await shown.page.evaluate('document.documentElement.lang');
      await shown.press('other-language');
      assert.notEqual(await shown.page.evaluate('document.documentElement.lang'), before);
      await shown.press('other-language');
    });
  }

  test('by keyboard: the password, a search by the last digits, and a confirmation with Escape', async (t) => {
    const { stage } = product;
    await stage.paid('visa', { requestAmount: 17.5 });
    const shown = await ProductPage.open(product);
    await shown.flow(t, 'keyboard');
    t.after(() => shown.close());
    await shown.sees('idle');
    await shown.press('menu');
    const { keyboard } = shown.page;
    const ready = () => shown.page.waitForSelector('body:not([data-hold])');
    await ready();
    await keyboard.type(password);
    await keyboard.press('Enter');
    await shown.press('today');
    await shown.press('search');
    await shown.press('by-lastFour');
    await ready();
    await keyboard.type('0118');
    await keyboard.press('Backspace');
    await keyboard.type('9');
    await keyboard.press('Enter');
    await shown.page.waitForSelector('.row');
    await shown.picture('found');
    await shown.tap('.row:first-child');
    await shown.press('VOID');
    await shown.page.waitForSelector('[data-action="yes"]');
    await ready();
    await keyboard.press('Escape');
    await shown.page.waitForSelector('#waits');
    assert.equal((await stage.posted()).length, 1, 'nothing was voided');
  });
});
