import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { LossyRelay } from '../e2e/lossy-relay.ts';
import { Stage } from '../e2e/stage.ts';
import { launchChromium } from './chromium.ts';
import { ShopServer, TillPage } from './till-page.ts';

describe('the till in a browser', () => {
  let dir: string;
  let browser: Browser;
  let shop: ShopServer;
  let stage: Stage;
  let till: TillPage;
  let relay: LossyRelay;
  let origin: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'poid-till-'));
    browser = await launchChromium({ isWhole: true });
    shop = await ShopServer.open(dir);
    origin = `http://127.0.0.1:${shop.port}`;
    stage = await Stage.open({ configuration: { http: { origins: [origin] } } });
    relay = await LossyRelay.open(() => Number(new URL(stage.apiUrl).port));
    till = await TillPage.open(await browser.newContext(), origin, relay.url);
  });
  after(async () => {
    await browser?.close();
    shop?.close();
    relay?.close();
    await stage?.close();
    await rm(dir, { recursive: true });
  });
  afterEach(async () => {
    assert.deepEqual(till.complaints, []);
    assert.deepEqual(await stage.unexpected(), []);
  });

  test('pays, follows, and shows the receipt', async () => {
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    await stage.tap('visa');
    await till.reads('outcome', /^Paid: 30 HKD by VISA$/);
    await till.reads('receipt', /VISA[\s\S]*30\.00/);
    assert.deepEqual(await till.stored(), []);
    assert.equal((await stage.posted()).length, 1);
  });

  test('tells the cashier in words why nothing was paid', async () => {
    await stage.host('EDC', { decline: '51' });
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    await stage.tap('visa');
    await till.reads('outcome', /^Not paid: There is not enough money on the account/);
    await stage.host('EDC', { mode: 'up' });
    assert.deepEqual(await till.stored(), []);
  });

  test('cancels', async () => {
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    await till.press('cancel');
    await till.reads('outcome', /^Not paid: The till cancelled the payment/);
    await stage.assertDisarmed();
  });

  test('has the outcome of a payment whose connection was cut, and pays once', async () => {
    const posted = (await stage.posted()).length;
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    relay.next();
    await stage.tap('visa');
    await till.reads('outcome', /^Paid: 30 HKD by VISA$/);
    assert.equal((await stage.posted()).length, posted + 1);
  });

  test('has the outcome of a payment during which it was loaded again', async () => {
    const posted = (await stage.posted()).length;
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    assert.equal((await till.stored()).length, 1);
    await till.page.reload();
    await till.reads('outcome', /^At the terminal/);
    await stage.tap('visa');
    await till.reads('outcome', /^Paid: 30 HKD by VISA$/);
    assert.equal((await stage.posted()).length, posted + 1);
    assert.deepEqual(await till.stored(), []);
  });

  test('does not know the outcome while the terminal is away, and has it later', async () => {
    const posted = (await stage.posted()).length;
    const context = await browser.newContext();
    await context.clock.install();
    const till = await TillPage.open(context, origin, relay.url);
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    const failed = (call: string) => till.page.waitForEvent('requestfailed', (request) => request.url().endsWith(call));
    const [repeated, asked] = [failed('/payment'), failed('/enquiry')];
    await stage.stopDaemon('SIGKILL');
    await repeated;
    await context.clock.fastForward(30_000);
    await asked;
    await context.clock.fastForward(200_000);
    await till.reads('outcome', /^Not known. Do not charge again/);
    assert.equal((await till.stored()).length, 1);
    await stage.startDaemon();
    await till.press('ask');
    await till.reads('outcome', /^Not paid: The terminal restarted, and nothing was charged/);
    assert.deepEqual(await till.stored(), []);
    assert.equal((await stage.posted()).length, posted);
  });
});
