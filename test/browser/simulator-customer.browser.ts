import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { SimulatorPage } from './simulator-page.ts';

let browser: Browser;

describe('the customer on the simulator’s page', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  test('taps a card: what the reader waits for stands there, and nothing else can be done', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    assert.ok(await sim.button('Tap Visa').isDisabled());
    const { answer } = await sim.payment({}, 'waits for a card');
    assert.equal(await page.textContent('#reader-amount'), 'HKD 30.00');
    assert.equal(await page.textContent('#reader-state'), 'Tap, insert or swipe a card');
    assert.ok(await sim.button('Alipay: show to scanner').isDisabled());
    assert.ok(await sim.button('Scan it and pay').isDisabled());
    assert.ok(await page.locator('[data-key="1"]').isDisabled());
    await sim.button('Tap Visa').click();
    const { body } = await answer;
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.entryMode, 'CONTACTLESS');
    await page.getByRole('cell', { name: 'Sale •0119' }).waitFor();
    await page.locator('#paper').waitFor();
    await sim.terminalSays('is idle');
    assert.ok(await sim.button('Tap Visa').isDisabled());
    await sim.keepPicture('tapped');
    await sim.allWell();
  });

  test('sees which interfaces the reader waits at: EPS takes a stripe only', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    await sim.payment({ preferredInstrument: 'EPS' }, 'waits for a card');
    assert.equal(await sim.page.textContent('#reader-state'), 'Swipe a card');
    assert.ok(await sim.button('Tap Visa').isDisabled());
    assert.ok(await sim.button('Insert Visa').isDisabled());
    assert.ok(await sim.button('Swipe Visa').isEnabled());
    assert.ok(await sim.button('Swipe EPS').isEnabled());
    assert.equal(await sim.button('Tap EPS').count(), 0);
  });

  test('inserts a card, and takes it out', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    await sim.stage.host('EDC', { mode: 'silent' });
    const { answer } = await sim.payment({}, 'waits for a card');
    assert.ok(await sim.button('Take the card out').isHidden());
    await sim.button('Insert JCB').click();
    await sim.terminalSays('the chip waits');
    assert.equal(await page.textContent('#reader-state'), 'Leave the card in');
    assert.equal(await page.textContent('#reader-note'), 'JCB is in the slot');
    await sim.keepPicture('inserted');
    await sim.button('Take the card out').click();
    await page.locator('#take-out').waitFor({ state: 'hidden' });
    assert.notEqual((await answer).body.responseResult, 'SUCCESS');
  });

  test('enters the PIN: shown as dots, told when it was wrong, kept nowhere', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const { answer } = await sim.payment({ preferredInstrument: 'EPS' }, 'waits for a card');
    await sim.button('Swipe EPS').click();
    await sim.onScreen('chooseAccount', { kind: 'account', account: 'SAVINGS' });
    await sim.terminalSays('asks for the PIN');
    assert.match(
      (await page.textContent('#pin-note')) ?? '',
      /^Debit Visa card: test PIN 2468, EPS card: test PIN 1357$/,
    );
    for (const digit of '864') await page.click(`[data-key="${digit}"]`);
    assert.equal(await page.textContent('#pin-dots'), '•••');
    assert.ok(await page.isDisabled('[data-key="Enter"]'));
    await page.click('[data-key="Clear"]');
    assert.equal(await page.textContent('#pin-dots'), '');
    for (const digit of '8642') await page.click(`[data-key="${digit}"]`);
    await page.click('[data-key="Enter"]');
    await sim.terminalSays('asks for the PIN again');
    assert.match((await page.textContent('#pin-note')) ?? '', /^The last PIN was wrong\. /);
    assert.equal(await page.textContent('#pin-dots'), '');
    await sim.keepPicture('pin-again');
    assert.doesNotMatch(await page.content(), /8642/);
    // And from the keyboard.
    await page.locator('#pin-pad').focus();
    await page.keyboard.type('1357');
    assert.equal(await page.textContent('#pin-dots'), '••••');
    await page.keyboard.press('Enter');
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    await page.getByText('No PIN is asked for.').waitFor();
    await sim.allWell();
  });

  test('cancels at the PIN pad: the digits are forgotten', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const { answer } = await sim.payment({ preferredInstrument: 'EPS' }, 'waits for a card');
    await sim.button('Swipe EPS').click();
    await sim.onScreen('chooseAccount', { kind: 'account', account: 'CURRENT' });
    await sim.terminalSays('asks for the PIN');
    await page.click('[data-key="7"]');
    await page.click('[data-key="Cancel"]');
    assert.notEqual((await answer).body.responseResult, 'SUCCESS');
    assert.equal(await page.textContent('#pin-dots'), '');
    await sim.allWell();
  });

  test('shows a code to the scanner, and answers the phone', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    await page.selectOption('#customer-choice', 'password');
    const { answer } = await sim.payment({ preferredEntryMode: 'QR_SCAN' }, 'waits for a code at the scanner');
    assert.equal(await page.locator('#phones').getAttribute('data-waiting'), 'true');
    await sim.button('WeChat Pay: show to scanner').click();
    await sim.terminalSays('waits for the customer’s phone');
    await sim.keepPicture('password');
    await sim.button('Enter it').click();
    const { body } = await answer;
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.paymentMethod, 'WECHAT');
    await page.getByRole('cell', { name: 'Sale WeChat Pay' }).waitFor();
    const refused = await sim.payment({ preferredEntryMode: 'QR_SCAN' }, 'waits for a code at the scanner');
    await sim.button('UnionPay QR: show to scanner').click();
    await sim.button('Refuse').click();
    assert.notEqual((await refused.answer).body.responseResult, 'SUCCESS');
    await sim.allWell();
  });

  test('scans the code on the screen and pays: whose it is, and how much', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const { answer } = await sim.payment({ preferredEntryMode: 'QR_PRESENT' }, 'shows a code of Alipay');
    assert.equal(await page.textContent('#on-show-text'), 'On the screen: Alipay, HKD 30.00');
    await sim.onScreen('presentCode', { kind: 'wallet', scheme: 'FPS' });
    await sim.terminalSays('shows a code of FPS');
    await sim.keepPicture('code-on-show');
    await sim.button('Scan it and pay').click();
    const { body } = await answer;
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.paymentMethod, 'FPS');
    await page.getByText('No code is on show.').waitFor();
    await sim.allWell();
  });

  test('taps an Octopus; torn away, the same one must come back', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    const balance = page.locator('[data-octopus="octopus"] .balance');
    assert.equal(await balance.textContent(), 'HKD 500.00');
    const first = await sim.payment({ preferredInstrument: 'OCTOPUS' }, 'waits for an Octopus');
    await sim.button('Tap Octopus').click();
    assert.equal((await first.answer).body.responseResult, 'SUCCESS');
    await page.locator('[data-octopus="octopus"] .balance', { hasText: 'HKD 470.00' }).waitFor();
    await sim.button('value taken').click();
    await page.locator('#torn-deducted[data-heard="true"]').waitFor();
    const torn = await sim.payment({ preferredInstrument: 'OCTOPUS' }, 'waits for an Octopus');
    await sim.button('Tap Octopus other').click();
    await sim.terminalSays('waits for the same Octopus again');
    await page.getByText('Incomplete: the same card must come back, Octopus other.').waitFor();
    await page.getByRole('cell', { name: 'Incomplete' }).waitFor();
    await sim.keepPicture('octopus-incomplete');
    await sim.button('Tap Octopus other').click();
    assert.equal((await torn.answer).body.responseResult, 'SUCCESS');
    await page.locator('#octopus-incomplete').waitFor({ state: 'hidden' });
    await sim.allWell();
  });

  test('is told why nothing came of it', async (t) => {
    const sim = await SimulatorPage.open(t, browser);
    const { page } = sim;
    await page.fill('#scan input', 'not a wallet');
    await page.click('#scan button');
    await page.getByText('Scan: the terminal did not start the scanner within 2000 ms').waitFor();
    await sim.keepPicture('refused');
    assert.deepEqual(sim.complaints, ['Failed to load resource: the server responded with a status of 409 (Conflict)']);
    await sim.button('Close').click();
    await page.locator('#message').waitFor({ state: 'hidden' });
    const { answer } = await sim.payment({ preferredEntryMode: 'QR_SCAN' }, 'waits for a code at the scanner');
    await page.click('#scan button');
    // A code that comes before the scanner is armed again is not read.
    await sim.stage.view(({ hint }) => hint === 'notAWalletCode');
    await sim.button('Alipay: show to scanner').click();
    assert.equal((await answer).body.responseResult, 'SUCCESS');
  });
});
