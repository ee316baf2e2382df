import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { Workbench, workbenchWindows } from './workbench.ts';

let browser: Browser;

describe('from the simulator’s page alone', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  test('a first approved sale: till, screen, card, answer, and its messages on the wires', async (t) => {
    const bench = await Workbench.open(t, browser);
    const { page, newest } = bench;
    await bench.screen.locator('body[data-scene="idle"]').waitFor();
    // In the terminal's own words, which it tells every till.
    await page.getByText('is idle', { exact: true }).waitFor();
    await bench.keepPicture('start');
    await bench.button('Sell HKD 30').click();
    await bench.screen.locator('#price', { hasText: '30.00' }).waitFor();
    await bench.screen.getByText('Cash', { exact: true }).waitFor();
    assert.deepEqual(await bench.coveredOnScreen(), []);
    await bench.button('Tap Visa').click();
    await newest.getByText('SUCCESS', { exact: true }).waitFor();
    await bench.screen.locator('body[data-scene="approved"], body[data-tone="good"]').first().waitFor();
    assert.match(await newest.locator('.answer').innerText(), /^VISA \*+0119 approval \w{6} · HTTP 200, /);
    await bench.frame('POST /sp/v1/payment · SALE · HKD 30').waitFor();
    await bench.frame('02/23 transaction: request for online authorization · HKD 30.00 · contactless chip').waitFor();
    await bench.frame('0210 financial answer').click();
    await page.locator('#wire-frame h3', { hasText: '00 approved' }).waitFor();
    const fields = await bench.fields();
    assert.ok(fields.includes('MTI 0210 financial answer'), fields.join('\n'));
    assert.ok(fields.includes('39 response code 00 approved'), fields.join('\n'));
    await page.locator('#wire-fields tr', { hasText: '39 response code' }).hover();
    assert.equal(
      await page
        .locator('.bytes .marked')
        .allInnerTexts()
        .then((bytes) => bytes.join(' ')),
      '30 30',
    );
    await bench.keepPicture('frame');
    bench.allWell();
  });

  test('each request with its answer, as curl and client would make it, and replayed without a second charge', async (t) => {
    const bench = await Workbench.open(t, browser);
    const { page, newest } = bench;
    await page.getByLabel('Amount', { exact: true }).fill('12.5');
    await bench.button('Sell HKD 12.5').click();
    await page.locator('#terminal-state', { hasText: 'waits for a card' }).waitFor();
    await bench.button('Tap Amex').click();
    await newest.getByText('SUCCESS', { exact: true }).waitFor();
    const texts = await newest.locator('pre').allTextContents();
    const [request, answer, curl, client] = texts;
    const body: Record<string, unknown> = JSON.parse(request ?? '');
    assert.deepEqual([body['transactionType'], body['requestAmount'], body['currency']], ['SALE', 12.5, 'HKD']);
    assert.equal(JSON.parse(answer ?? '').messageId, body['messageId']);
    const [, inShell = ''] = /^curl -s (?:\S+) -H 'Content-Type: application\/json' -d '(.*)'$/.exec(curl ?? '') ?? [];
    assert.deepEqual(JSON.parse(inShell), body);
    assert.ok(curl?.includes(`${bench.apiUrl}/sp/v1/payment`), curl);
    assert.ok(client?.includes(`url: '${bench.apiUrl}'`) && client.includes('await till.pay({'), client);
    await newest.getByRole('button', { name: 'Replay' }).click();
    await page.locator('.call').nth(1).waitFor();
    await newest.getByText('SUCCESS', { exact: true }).waitFor();
    const again = await newest.locator('pre').nth(1).textContent();
    assert.equal(JSON.parse(again ?? '').terminalTransactionId, JSON.parse(answer ?? '').terminalTransactionId);
    const { length } = JSON.parse(await (await fetch(`${bench.url}/api/host/EDC/ledger`)).text());
    assert.equal(length, 1);
    await newest.getByRole('button', { name: 'Void' }).click();
    await newest.locator('h3', { hasText: 'VOID' }).waitFor();
    await newest.getByText('SUCCESS', { exact: true }).waitFor();
    bench.allWell();
  });

  test('a reversal on the wire: played with one click, marked, and decoded as 0400', async (t) => {
    const bench = await Workbench.open(t, browser);
    const { page, newest } = bench;
    await bench.frame('18-01 ping').first().click();
    await page.locator('#wire-frame h3', { hasText: '18-01 ping' }).waitFor();
    await bench.button('Scenarios').click();
    await bench.keepPicture('scenarios');
    await bench.button('Play: No answer, then a reversal').click();
    // The page comes back to the wires by itself, closes what was open, and opens the frame once it is there.
    await bench.frame('0200 financial request').first().waitFor();
    assert.ok(await page.locator('#wire-frame').isHidden());
    await page.getByText('asks the host', { exact: true }).waitFor();
    await page.locator('#wire-frame h3', { hasText: '0400 reversal' }).waitFor();
    const [, , mti, ...fields] = await bench.fields();
    assert.equal(mti, 'MTI 0400 reversal');
    assert.ok(fields.includes('4 amount 000000003000 HKD 30.00'), fields.join('\n'));
    const asked = (await bench.frame('0200 financial request').first().innerText()).split('STAN ')[1];
    const undone = (await bench.frame('0400 reversal').first().innerText()).split('STAN ')[1];
    assert.equal(undone, asked);
    await bench.frame('0410 reversal answer').first().waitFor();
    assert.ok(await page.locator('tr[data-wanted="true"]').first().isVisible());
    await newest.getByText('ERROR', { exact: true }).waitFor();
    assert.match(await newest.locator('.answer').innerText(), /financialImpact (?:REVERSED|REVERSAL_PENDING)/);
    await bench.keepPicture('reversal');
    await page.getByText('Still set: host EDC silent.', { exact: true }).waitFor();
    await bench.button('Take the faults back').click();
    await page.locator('#faults-set').waitFor({ state: 'hidden' });
    bench.allWell();
  });

  test('a scenario that somebody has to put right says how: wrong PIN, then the right one', async (t) => {
    const bench = await Workbench.open(t, browser);
    await bench.button('Scenarios').click();
    await bench.button('Play: Wrong PIN').click();
    await bench.page.locator('#wire-frame h3', { hasText: '55 wrong PIN' }).waitFor();
    await bench.keepPicture('wrong-pin');
    await bench.button('Enter the right PIN').click();
    await bench.newest.getByText('SUCCESS', { exact: true }).waitFor();
    bench.allWell();
  });

  test('in a narrow window too, what to look at and the way on stay in sight', async (t) => {
    const bench = await Workbench.open(t, browser, 'narrow');
    const { page } = bench;
    await bench.button('Scenarios').click();
    await bench.button('Play: Wrong PIN').click();
    await page.locator('#wire-frame h3', { hasText: '55 wrong PIN' }).waitFor();
    await page.locator('#wire-frame').evaluate((frame) => frame.scrollIntoView());
    assert.ok(Number(await page.evaluate('scrollY')) > 0);
    const mend = await bench.button('Enter the right PIN').boundingBox();
    assert.ok(mend && mend.y >= 0 && mend.y + mend.height <= workbenchWindows.narrow.height, JSON.stringify(mend));
    await bench.button('Enter the right PIN').click();
    await bench.newest.getByText('SUCCESS', { exact: true }).waitFor();
    bench.allWell();
  });

  test('a line says what it is, and a till without an answer what to do', async (t) => {
    const bench = await Workbench.open(t, browser);
    const { page, newest } = bench;
    await page.locator('#wire-lines button', { hasText: 'CUP' }).click();
    await page.getByText('CUP: the bank’s host for UnionPay cards: ISO 8583 over TCP', { exact: true }).waitFor();
    await bench.button('Cut the power').click();
    await page.locator('#no-power').waitFor();
    await bench.button('Sell HKD 30').click();
    await newest.getByText('no answer', { exact: true }).waitFor();
    assert.match(
      await newest.locator('.answer').innerText(),
      /What became of it is not known yet: Enquire asks the terminal\.$/,
    );
  });

  test('an amount of the table is declined with its code', async (t) => {
    const bench = await Workbench.open(t, browser);
    await bench.button('Scenarios').click();
    await bench.button('Sell HKD 30.51').click();
    await bench.page.locator('#terminal-state', { hasText: 'waits for a card' }).waitFor();
    await bench.button('Tap Visa').click();
    await bench.newest.getByText('DECLINED', { exact: true }).waitFor();
    bench.allWell();
  });

  test('one line alone, without what is polled, kept as JSON lines', async (t) => {
    const bench = await Workbench.open(t, browser);
    const { page } = bench;
    await bench.frame('18-01 ping').first().waitFor();
    await page.locator('#wire-lines button', { hasText: 'EDC' }).click();
    await page.locator('#wire-list .nothing').waitFor();
    await page.locator('#wire-lines button', { hasText: 'printer' }).click();
    assert.equal(await bench.frame('DLE EOT').count(), 0);
    await page.locator('#wires-quiet').uncheck();
    await bench.frame('DLE EOT').first().waitFor();
    assert.equal(await page.locator('#wires-export').getAttribute('href'), '/api/wires.jsonl?line=printer');
    bench.allWell();
  });

  for (const window of Object.keys(workbenchWindows) as (keyof typeof workbenchWindows)[]) {
    test(`${workbenchWindows[window].width} wide: nothing is wider than its place in any view, and axe finds nothing`, async (t) => {
      const bench = await Workbench.open(t, browser, window);
      const { page, newest } = bench;
      await bench.button('Sell HKD 30').click();
      await page.locator('#terminal-state', { hasText: 'waits for a card' }).waitFor();
      await bench.button('Tap Visa').click();
      await newest.getByText('SUCCESS', { exact: true }).waitFor();
      await bench.frame('0200 financial request').click();
      await page.locator('#wire-fields tr').first().waitFor();
      for (const summary of await newest.locator('summary').all()) await summary.click();
      await page.locator('#till-more summary').click();
      for (const view of await page.locator('#views button').all()) {
        await view.click();
        const name = await view.innerText();
        const looked = async () => {
          assert.deepEqual(await bench.tooWide(), [], name);
          assert.deepEqual(await axeViolations(page), [], name);
        };
        await looked();
        await bench.keepPicture(`${window}-${await view.getAttribute('data-view')}`);
        for (const each of await page.locator('summary:visible').all()) {
          if ((await each.locator('..').getAttribute('open')) === null) await each.press('Enter');
        }
        await looked();
      }
      await bench.button('Scenarios').click();
      await bench.button('Play: No answer, then a reversal').click();
      await page.locator('#scenario:visible').waitFor();
      assert.deepEqual(await axeViolations(page), [], 'a scenario');
      await newest.getByText('ERROR', { exact: true }).waitFor();
      bench.allWell();
      await bench.button('Cut the power').click();
      await page.locator('#no-power').waitFor();
      assert.deepEqual(await axeViolations(page), [], 'without power');
    });
  }
});
