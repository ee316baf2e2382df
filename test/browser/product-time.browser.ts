import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, type Stage } from '../e2e/stage.ts';
import { SimulatedPower } from './product-power.ts';
import { ProductPage, assertAnswer } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

let stage: Stage;
let shown: ProductPage;
let power: SimulatedPower;

const outcomeMs = 3_000;

describe('what time and a power cut do to the page', () => {
  const product = productOfTests({
    screen: { outcomeMs },
    timeouts: { collectMs: 3_000, octopusIncompleteMs: 800 },
  });
  before(async () => {
    ({ stage } = product);
    power = new SimulatedPower(stage);
    shown = await ProductPage.open(product);
  });
  after(() => power?.close());

  test('an outcome stays its time, also for a page that is loaded meanwhile, and never comes back', async (t) => {
    await shown.flow(t, 'outcome');
    const begun = await shown.asked({}, 'chooseMethod');
    await stage.tap('visa');
    await assertAnswer(begun, 'SUCCESS');
    const from = performance.now();
    await shown.sees('approved');
    await shown.page.reload();
    await shown.sees('approved');
    await shown.sees('idle');
    const stood = performance.now() - from;
    assert.ok(stood > outcomeMs - 200, `it was gone after ${stood} ms`);
    await shown.page.reload();
    await shown.sees('idle');
    assert.equal(await shown.text('amount'), '');
    const later = await shown.drawn();
    assert.ok(later.every(({ scene }) => ['loading', 'offline', 'idle'].includes(scene)));
  });

  for (const preferredEntryMode of ['CARD', 'QR_PRESENT'] as const) {
    test(`nobody comes, ${preferredEntryMode}: it times out, and the page says that nothing was charged`, async (t) => {
      await shown.flow(t, `timeout-${preferredEntryMode}`);
      const begun = stage.begun({ preferredEntryMode });
      await shown.leavesOutcome();
      const money = preferredEntryMode === 'CARD' ? 'charge-NONE' : 'charge-IF_PAID_RETURNED';
      await shown.shows('cancelled', { happened: 'outOfTime', money, next: 'startAgain' });
      await assertAnswer(begun, 'TIMEOUT', { responseCode: 5, financialImpact: 'NONE' });
      await stage.assertDisarmed();
    });
  }

  test('the customer’s Octopus does not come back: the staff is to be asked, and the POS hears that it is unknown', async (t) => {
    await shown.flow(t, 'octopus-gone');
    const begun = await shown.asked({ preferredInstrument: 'OCTOPUS' }, 'tapOctopus');
    await stage.fault('octopus', { incompleteNext: 'deducted' });
    await stage.tapOctopus('octopus');
    await shown.sees('tapOctopus', 'sameOctopusCard');
    await shown.shows('error', { happened: 'octopusLeft', money: 'charge-UNKNOWN', next: 'askBeforePaying' });
    await assertAnswer(begun, 'UNKNOWN', { financialImpact: 'UNKNOWN' });
  });

  test('power is cut while a code is shown: the page says that the terminal starts, and comes back without the code', async (t) => {
    await shown.flow(t, 'cut-code');
    await shown.asked({ preferredEntryMode: 'QR_PRESENT' }, 'presentCode');
    await power.cut();
    await shown.sees('offline');
    assert.equal(await shown.text('title'), shown.words.titles['offline']);
    assert.equal(await shown.page.locator('#code, main button').count(), 0);
    assert.equal(await shown.text('amount'), '');
    await power.restore();
    await shown.sees('idle');
    await nothingOldSince('offline', ['offline', 'idle']);
    // The order that nobody waits for is closed at its host before the next payment.
    await eventually(
      () => stage.bench(),
      ({ hosts }) => hosts.QR.onShow === null,
    );
    const begun = await shown.asked({}, 'chooseMethod');
    await stage.tap('visa');
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS');
    assert.deepEqual(await stage.posted('QR'), []);
  });

  test('power is cut while the outcome is shown: it is not shown again', async (t) => {
    await shown.flow(t, 'cut-outcome');
    const begun = await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
    await stage.tap('visa');
    await shown.sees('approved');
    await assertAnswer(begun, 'SUCCESS');
    await power.cut();
    await shown.sees('offline');
    await power.restore();
    await shown.sees('idle');
    await nothingOldSince('offline', ['offline', 'idle']);
    assert.equal((await stage.posted()).length, 1);
  });

  test('power is cut while a host is asked: the page comes back idle, and the payment is taken back', async (t) => {
    await shown.flow(t, 'cut-host');
    await stage.host('EDC', { mode: 'silent' });
    await shown.asked({ preferredEntryMode: 'CARD' }, 'presentCard');
    await stage.tap('visa');
    await shown.sees('processing');
    await eventually(
      () => stage.posted(),
      ({ length }) => length === 1,
    );
    await power.cut();
    await shown.sees('offline');
    await stage.host('EDC', {});
    await power.restore();
    await shown.sees('idle');
    await nothingOldSince('offline', ['offline', 'idle']);
    await eventually(
      () => stage.posted(),
      ({ length }) => length === 0,
    );
  });
});

/** Since it first showed `scene` the page has shown nothing but these, and no code. */
async function nothingOldSince(scene: string, allowed: readonly string[]): Promise<void> {
  const drawn = await shown.drawn();
  const since = drawn.slice(drawn.findIndex((each) => each.scene === scene));
  for (const each of since) {
    assert.ok(allowed.includes(each.scene), each.scene);
    assert.ok(!each.html.includes('id="code"'));
  }
}
