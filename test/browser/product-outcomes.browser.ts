import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Scene } from '../../src/payment/contracts/screen.ts';
import type { ReportedOutcome } from '../../src/payment/contracts/reported-outcome.ts';
import { drained } from '../e2e/books.ts';
import { eventually, type Json, type Stage } from '../e2e/stage.ts';
import { ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

let stage: Stage;
let shown: ProductPage;

/** A payment that comes to nothing, and what customer and POS are told of it. */
interface Failing {
  readonly name: string;
  readonly request: Json;
  readonly trouble: () => Promise<void>;
  readonly customer: () => Promise<void>;
  readonly scene: Scene;
  readonly reported: ReportedOutcome;
  readonly result: string;
  readonly answer: Json;
}

const byCard = { request: {}, customer: () => stage.tap('visa') };
const byScan = {
  request: { preferredEntryMode: 'QR_SCAN' },
  customer: async () => stage.scan(await stage.walletCode('ALIPAY')),
};
const octopus = { preferredInstrument: 'OCTOPUS' };
const nothing = () => Promise.resolve();
const none = { financialImpact: 'NONE' };

const failing: readonly Failing[] = [
  {
    ...byCard,
    name: 'a card without funds',
    trouble: () => stage.host('EDC', { decline: '51' }),
    scene: 'declined',
    reported: { happened: 'noFunds', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: { ...none, responseCode: 1051 },
  },
  {
    ...byCard,
    name: 'a card that is refused',
    trouble: () => stage.host('EDC', { decline: '05' }),
    scene: 'declined',
    reported: { happened: 'declinedByBank', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: { ...none, responseCode: 1005 },
  },
  {
    ...byCard,
    name: 'a host that can’t decide: it is taken back',
    trouble: () => stage.host('EDC', { decline: '91' }),
    scene: 'error',
    reported: { happened: 'bankTrouble', money: 'charge-REVERSAL_PENDING', next: 'askBeforePaying' },
    result: 'ERROR',
    answer: { financialImpact: 'REVERSAL_PENDING' },
  },
  {
    ...byCard,
    name: 'a host that is not there',
    trouble: () => stage.host('EDC', { mode: 'down' }),
    scene: 'error',
    reported: { happened: 'bankAway', money: 'charge-NONE', next: 'tryAgain' },
    result: 'ERROR',
    answer: none,
  },
  {
    ...byCard,
    name: 'a host whose answer is lost: it is taken back',
    trouble: () => stage.host('EDC', { mode: 'closeAfterRequest' }),
    scene: 'error',
    reported: { happened: 'linkBroke', money: 'charge-REVERSED', next: 'tryAgain' },
    result: 'ERROR',
    answer: { financialImpact: 'REVERSED' },
  },
  {
    ...byCard,
    name: 'a chip that has the last word, and refuses',
    customer: () => stage.insert('visa'),
    trouble: () => stage.fault('reader', { cardRefuses: true }),
    scene: 'declined',
    reported: { happened: 'refusedByCard', money: 'charge-REVERSED', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: {},
  },
  {
    ...byScan,
    name: 'a wallet without funds',
    trouble: () => stage.host('QR', { decline: '1201' }),
    scene: 'declined',
    reported: { happened: 'noFunds', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: none,
  },
  {
    ...byScan,
    name: 'a wallet whose owner puts the phone away',
    trouble: () => stage.host('QR', { customer: 'password' }),
    customer: async () => {
      await byScan.customer();
      await shown.sees('processing', 'confirmOnPhone');
      await stage.does('/api/wallet/refuse');
    },
    scene: 'declined',
    reported: { happened: 'declined', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: none,
  },
  {
    name: 'no code to show for want of the wallets’ host',
    request: { preferredEntryMode: 'QR_PRESENT' },
    trouble: () => stage.host('QR', { mode: 'down' }),
    customer: nothing,
    scene: 'error',
    reported: { happened: 'bankAway', money: 'charge-NONE', next: 'tryAgain' },
    result: 'ERROR',
    answer: none,
  },
  {
    name: 'an Octopus card with too little on it',
    request: octopus,
    trouble: nothing,
    customer: () => stage.tapOctopus('octopus-low'),
    scene: 'declined',
    reported: { happened: 'noValue', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: none,
  },
  {
    name: 'an Octopus card that is blocked',
    request: octopus,
    trouble: nothing,
    customer: () => stage.tapOctopus('octopus-blocked'),
    scene: 'declined',
    reported: { happened: 'cardUnusable', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: none,
  },
  {
    name: 'EPS with three wrong PINs',
    request: { preferredInstrument: 'EPS' },
    trouble: nothing,
    customer: async () => {
      await stage.swipe('eps');
      await shown.press('account', { account: 'SAVINGS' });
      await shown.sees('enterPin');
      await stage.enterPin('9876');
      await shown.sees('enterPin', 'wrongPin');
      await stage.enterPin('9875');
      // The page looks as before: that the pad asks again tells that the host has refused it.
      await stage.enterPin('9874');
    },
    scene: 'declined',
    reported: { happened: 'pinTooOften', money: 'charge-NONE', next: 'payOtherWay' },
    result: 'DECLINED',
    answer: { ...none, responseCode: 1075 },
  },
  {
    name: 'a reader that is pulled out while it waits',
    request: { preferredEntryMode: 'CARD' },
    trouble: nothing,
    customer: async () => {
      await shown.sees('presentCard');
      await stage.fault('reader', { unplug: true });
    },
    scene: 'error',
    reported: { happened: 'readerFailed', money: 'charge-NONE', next: 'tryAgain' },
    result: 'ERROR',
    answer: none,
  },
];

describe('declined, or an error', () => {
  const product = productOfTests();
  before(async () => {
    ({ stage } = product);
    shown = await ProductPage.open(product);
  });

  for (const { name, request, trouble, customer, scene, reported: says, result, answer } of failing) {
    test(`${name}: the page says what the POS hears, and offers nothing more`, async (t) => {
      await shown.flow(t, `ends-${name.replaceAll(/\W+/g, '-')}`);
      await trouble();
      const begun = stage.begun(request);
      await shown.leavesOutcome();
      await customer();
      await shown.shows(scene, says);
      assert.equal(await shown.text('amount'), '30.00');
      assert.equal(await shown.page.locator('main button').count(), 0);
      await assertAnswer(begun, result, answer);
      if (says.happened === 'noValue') assert.equal(await shown.text('sum-balance'), 'HKD 5.10');
      await mended();
      const posted = await Promise.all((['EDC', 'EPS', 'QR'] as const).map((host) => stage.posted(host)));
      assert.deepEqual(posted.flat(), []);
    });
  }

  test('the next payment begins over the outcome of the last one, with nothing left of it', async (t) => {
    await shown.flow(t, 'next');
    await shown.asked({ preferredInstrument: 'OCTOPUS', requestAmount: 12.3 }, 'tapOctopus');
    await stage.tapOctopus('octopus');
    await shown.sees('approved');
    assert.equal(await shown.text('sum-balance'), 'HKD 487.70');
    const begun = await shown.asked({ preferredEntryMode: 'CASH', requestAmount: 20 }, 'tenderCash');
    assert.equal(await shown.text('sums'), '');
    await shown.tap('[data-quick="exact"]');
    await shown.press('tender');
    await shown.sees('approved');
    assert.equal(await shown.page.locator('#sum-balance').count(), 0);
    await assertAnswer(begun, 'SUCCESS', { paymentMethod: 'CASH' });
  });
});

/** Whatever was wrong is right again, and what had to be taken back is taken back. */
async function mended(): Promise<void> {
  await stage.host('EDC', {});
  await stage.host('QR', {});
  await stage.fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ ready }) => ready,
  );
  await drained(stage);
}
