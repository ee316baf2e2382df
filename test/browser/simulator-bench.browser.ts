import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import type { Browser } from 'playwright-core';
import { isPageFile } from '../../build/page-files.ts';
import { eventually, type Json } from '../e2e/stage.ts';
import { launchChromium } from './chromium.ts';
import { SimulatorPage, type Window, windows } from './simulator-page.ts';

const root = new URL('../../', import.meta.url);

let browser: Browser;

describe('the bench on the simulator’s page', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  test('every card is drawn with its own number, interfaces and PIN', async (t) => {
    const { page } = await SimulatorPage.open(t, browser);
    const files = (await readdir(new URL('fixtures/cards', root))).sort();
    const expected = await Promise.all(
      files.map(async (file) => {
        const card: Json = JSON.parse(await readFile(new URL(`fixtures/cards/${file}`, root), 'utf8'));
        const ways: string[] = card.interfaces ?? ['contactless', 'chip', 'stripe'];
        const pin = card.testPin === undefined ? '' : `PIN ${card.testPin}`;
        return [file.replace('.json', ''), `•••• ${card.pan.slice(-4)}`, pin, ways.join(' ')];
      }),
    );
    const drawn = await page
      .locator('.card')
      .evaluateAll((cards) =>
        cards.map((card) => [
          card.dataset['card'],
          card.querySelector('.last-four')?.textContent,
          card.querySelector('.test-pin')?.textContent,
          [...card.querySelectorAll('[data-way]')].map((way: Json) => way.dataset.way).join(' '),
        ]),
      );
    assert.deepEqual(
      drawn.toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
      expected.toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
    );
    assert.equal(drawn[0]?.[0], 'visa');
  });

  test('a host set up on the page does as it was told, and keeps what was set before', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const host = await sim.choose('EDC');
    const set = async (name: string, value: string) => {
      await host.locator(`[name="${name}"]`).fill(value);
      const answered = page.waitForResponse(`${sim.stage.simUrl}/api/host/EDC`);
      await host.locator(`[name="${name}"]`).blur();
      assert.equal((await answered).status(), 200);
    };
    await set('decline', '51');
    await set('delayMs', '20');
    const state = (await sim.stage.sim('GET', '/api/state')).body.hosts.EDC;
    assert.deepEqual([state.mode, state.decline, state.delayMs], ['up', '51', 20]);
    const { answer } = await sim.payment({}, 'waits for a card');
    await sim.button('Tap Amex').click();
    assert.equal((await answer).body.responseCode, 1051);
    await set('decline', '');
    const cleared = (await sim.stage.sim('GET', '/api/state')).body.hosts.EDC;
    assert.deepEqual([cleared.decline, cleared.delayMs], [undefined, 20]);
    await host.locator('[name="mode"]').selectOption('silent');
    await host.locator('summary').click();
    for (const script of ['72', '']) {
      const answered = page.waitForResponse(`${sim.stage.simUrl}/api/host/EDC`);
      await host.locator('[name="script"]').selectOption(script);
      assert.equal((await answered).status(), 200);
      const { EDC } = (await sim.stage.sim('GET', '/api/state')).body.hosts;
      assert.deepEqual([EDC.script, EDC.mode], [script || undefined, 'silent']);
    }
    await host.getByLabel('also settlement').check();
    await host.locator('[name="mode"]').selectOption('up');
    await page.locator('#host-EDC [name="settlement"]:disabled').waitFor();
    await host.locator('[name="mode"]').selectOption('down');
    await page.locator('[data-host="EDC"][data-condition="bad"]').waitFor();
    await sim.keepPicture('host-down');
    assert.deepEqual(sim.complaints, []);
  });

  test('what the wallets’ host can do wrong', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const host = await sim.choose('QR');
    await host.locator('summary').click();
    for (const label of ['can’t close codes', 'damaged code to show', 'wrong signature', 'wrong amount']) {
      await host.getByLabel(label).check();
    }
    await host.locator('[name="outcome"]').selectOption('unknown');
    await sim.page.selectOption('#customer-choice', 'refuses');
    await sim.page.locator('[data-host="QR"][data-condition="busy"]').waitFor();
    const { close, badCode, badSignature, wrongAmount, outcome } = await eventually<Json>(
      async () => (await sim.stage.sim('GET', '/api/state')).body.hosts.QR,
      ({ customer }) => customer === 'refuses',
    );
    assert.deepEqual([close, badCode, badSignature, wrongAmount, outcome], [false, true, true, true, 'unknown']);
    await sim.keepPicture('wallets-host');
    await sim.button('Reset everything').click();
    await sim.page.locator('[data-host="QR"][data-condition="good"]').waitFor();
    assert.equal(await host.getByLabel('wrong amount').isChecked(), false);
    assert.equal(await sim.page.inputValue('#customer-choice'), 'pays');
    await sim.allWell();
  });

  test('the books of who is paid come up by themselves, and the settlement with them', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const { answer } = await sim.payment({}, 'waits for a card');
    await sim.button('Tap UnionPay').click();
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    await page.locator('#host-CUP').getByRole('cell', { name: 'Sale •0005' }).waitFor();
    const settled = await sim.stage.post('settlement', { posId: 'POS-1', messageId: 'S-1' });
    assert.equal(settled.body.responseResult, 'SUCCESS');
    await page.locator('#host-CUP .settlements').getByRole('cell', { name: 'Balanced' }).waitFor();
    const { batch } = settled.body.settlements.find(({ acquirer }: { acquirer: string }) => acquirer === 'CUP');
    await page
      .getByRole('cell', { name: `batch ${batch}` })
      .first()
      .waitFor();
    await sim.keepPicture('settled');
    await sim.allWell();
  });

  test('of thousands of postings the last twenty are shown, and fetched only when there are more', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    let fetched = 0;
    const row = { kind: 'SALE', maskedPan: '****0119', stan: '000001', rrn: 'R', amount: '1.00', currency: 'HKD' };
    const more = { tip: '0.00', status: 'POSTED', batch: null, reversals: 0, at: '2026-01-01T00:00:00.000Z' };
    await page.route('**/api/host/EDC/ledger', async (route) => {
      fetched++;
      await route.fulfill({
        json: Array.from({ length: 3000 }, (_, index) => ({ ...row, ...more, rrn: `R${index}` })),
      });
    });
    await page.clock.install();
    await page.reload();
    const { answer } = await sim.payment({}, 'waits for a card');
    await sim.button('Tap Visa').click();
    await answer;
    await page.getByText('and 2980 older').waitFor();
    assert.equal(await page.locator('#host-EDC .ledger tbody tr').count(), 20);
    assert.match((await page.locator('#host-EDC .ledger tbody tr').first().textContent()) ?? '', /R2999/);
    await sim.terminalSays('is idle');
    // Whatever the page has put off comes now.
    await page.clock.runFor(60_000);
    const before = fetched;
    await sim.fault('Printer', 'paper low');
    await page.locator('#printer-state', { hasText: 'paper low' }).waitFor();
    await sim.fault('Reader', 'unplugged');
    await page.locator('#reader-panel[data-state="absent"]').waitFor();
    await page.clock.runFor(60_000);
    await page.evaluate('fetch("/api/cards")');
    assert.equal(fetched, before);
    assert.ok(before <= 4, `${before} times`);
  });

  test('the printer: paper, faults, and a drawer that opens and is shut by hand', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const cash = sim.stage.payment(sim.stage.saleRequest({ preferredEntryMode: 'CASH' }));
    await sim.onScreen('tenderCash', { kind: 'tender', amount: '50.00' });
    assert.equal((await cash).body.responseResult, 'SUCCESS');
    await page.locator('#drawer[data-open="true"]').waitFor();
    await page.locator('#paper').waitFor();
    await sim.keepPicture('drawer');
    await page.click('#drawer');
    assert.equal(await page.getAttribute('#drawer', 'data-open'), 'false');
    await sim.fault('Printer', 'paper out');
    await page.locator('#printer-state', { hasText: 'paper out' }).waitFor();
    assert.equal(await page.getAttribute('#drawer', 'data-open'), 'false');
    await sim.button('Tear off').click();
    await page.getByText('Receipts come out here').waitFor();
    await sim.allWell();
  });

  test('unexpected bytes are told', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    assert.ok(await page.locator('#findings').isHidden());
    const { acquirers }: Json = JSON.parse(await readFile(path.join(sim.stage.dir, 'poid.json'), 'utf8'));
    const { port, security } = acquirers.find(({ id }: Json) => id === 'CUP');
    const { ca, clientCertificate, clientKeyFile } = security.tls;
    const [authority, cert, key] = await Promise.all(
      [ca, clientCertificate, clientKeyFile].map((file) => readFile(file)),
    );
    const socket = tls.connect({
      port,
      host: '127.0.0.1',
      ca: authority,
      cert,
      key,
      checkServerIdentity: () => undefined,
    });
    // The host ends the connection as it likes.
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.end(Buffer.from('000C600003000099FFFFFFFFFFFF', 'hex'));
    await page.locator('#findings li', { hasText: /^CUP: / }).waitFor();
    socket.destroy();
    await sim.keepPicture('unexpected');
  });

  test('a reset takes everything back, what no state tells of too', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    await sim.fault('Reader', 'unplugged');
    await sim.fault('Reader', 'byte by byte');
    await sim.fault('Printer', 'cover open');
    await sim.fault('Octopus', 'reader absent');
    await sim.fault('Octopus', 'agent silent');
    await sim.fault('Scanner', 'unplugged');
    await page.locator('#reader-panel[data-state="absent"]').waitFor();
    const pressed = page.locator('.switches [aria-pressed="true"]');
    await eventually(
      () => pressed.count(),
      (count) => count === 6,
    );
    await sim.keepPicture('faults');
    await sim.button('Reset everything').click();
    await page.locator('#reader-panel[data-state="idle"]').waitFor();
    await eventually(
      () => pressed.count(),
      (count) => count === 0,
    );
    assert.deepEqual(sim.complaints, []);
  });

  test('the guide is gone once it was read, and comes back', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    await sim.button('Got it').click();
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
    assert.ok(await page.locator('#guide').isHidden());
    await sim.button('First payment').click();
    assert.ok(await page.locator('#guide').isVisible());
    await sim.allWell();
  });

  test('the terminal’s screen is one click away once the terminal said where it is', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page, stage } = sim;
    await sim.button('Wires').click();
    assert.ok(await page.locator('.screen-link').isHidden());
    const reported = { api: stage.apiUrl, screen: stage.screenUrl };
    assert.equal((await stage.sim('POST', '/api/terminal', reported)).status, 200);
    await page.locator('.screen-link').waitFor();
    assert.equal(await page.locator('.screen-link').getAttribute('href'), stage.screenUrl);
    // Nobody who runs the terminal has said that it may be framed.
    assert.equal(await page.locator('#screen-frame').getAttribute('src'), null);
    await sim.allWell();
  });

  for (const window of Object.keys(windows) as Window[]) {
    test(`${windows[window].width} wide: nothing is wider than its place`, async (t) => {
      const sim = await SimulatorPage.open(t, browser, window);
      const { page } = sim;
      assert.deepEqual(await sim.tooWide(), []);
      await sim.keepPicture(`${window}-guide`);
      await sim.button('Got it').click();
      const { answer } = await sim.payment({ requestAmount: 99_999.99 }, 'waits for a card');
      assert.deepEqual(await sim.tooWide(), []);
      const tap = await sim.button('Tap Visa').boundingBox();
      assert.ok(tap && tap.y + tap.height < windows[window].height, 'the cards are in view');
      await sim.button('Tap Visa').click();
      await answer;
      await page.locator('.ledger td').first().waitFor();
      for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click();
      assert.deepEqual(await sim.tooWide(), []);
      await sim.keepPicture(`${window}-open`);
      await sim.allWell();
    });
  }

  test('the page’s scripts put data into it as text only, and all of them are served', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const files = (await readdir(new URL('hw-sim/page', root))).filter(isPageFile);
    for (const file of files.filter((name) => name !== 'index.html')) {
      const response = await fetch(`${sim.stage.simUrl}/${file}`);
      assert.equal(response.status, 200, file);
      assert.equal(response.headers.get('content-security-policy'), "default-src 'self'");
      const text = await response.text();
      assert.equal(text, await readFile(new URL(`hw-sim/page/${file}`, root), 'utf8'));
      assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/, file);
    }
  });
});
