import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { IdleDisplay, type IdleDisplayOptions } from '../../../src/pos/peripherals/idle-display.ts';
import type { ScreenView, TillView } from '../../../src/payment/contracts/screen.ts';
import { transaction } from '../../screen/views.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const shownMs = 300_000;
const runs: ScreenView = { scene: 'presentCard', transaction, amount: '30.00', currency: 'HKD' };
const approved: ScreenView = { scene: 'approved', amount: '30.00', currency: 'HKD' };
const idle: ScreenView = { scene: 'idle' };
const one: TillView = { posId: 'POS-1', text: ['One'] };
const two: TillView = { posId: 'POS-2', text: ['Two'] };

let clock: ManualClock;
let views: ScreenView[];
let display: IdleDisplay;
beforeEach(() => {
  display = displayOf();
});

function displayOf(more: Partial<IdleDisplayOptions> = {}): IdleDisplay {
  clock = new ManualClock();
  views = [];
  const screen = {
    isWatched: true,
    show: (view: ScreenView) => void views.push(view),
    onAction: () => () => undefined,
  };
  return new IdleDisplay(screen, clock, { isAllowed: true, shownMs, cardNumbers: 'refuse', ...more });
}

const shown = () => views.at(-1);

test('it is part of the idle view until its time is over, or its till takes it away', async () => {
  assert.equal(display.display(one), 'shown');
  assert.deepEqual(shown(), { ...idle, till: one });
  await clock.advance(shownMs - 1);
  assert.deepEqual(shown(), { ...idle, till: one });
  await clock.advance(1);
  assert.deepEqual(shown(), idle);
  display.display(one, 5_000);
  await clock.advance(4_999);
  assert.equal(display.clear('POS-2'), 'cleared');
  assert.deepEqual(shown(), { ...idle, till: one }, 'another till takes nothing away');
  assert.equal(display.clear('POS-1'), 'cleared');
  assert.deepEqual(shown(), idle);
  assert.equal(clock.pending, 0);
});

test('the last till has the screen, for its own time', async () => {
  display.display(one, 1_000);
  display.display(two, 3_000);
  assert.deepEqual(shown(), { ...idle, till: two });
  await clock.advance(2_999);
  assert.deepEqual(shown(), { ...idle, till: two });
});

test('a payment has the screen to the end of its outcome, and ends what was shown', async () => {
  display.display(one);
  display.show(runs);
  assert.deepEqual(shown(), runs);
  assert.equal(display.display(two), 'busy');
  // What is not shown is not examined either.
  assert.equal(display.display({ posId: 'POS-1', text: ['4761739001010119'] }), 'busy');
  assert.partialDeepStrictEqual(display.currentRefusal, { reason: 'busy' });
  assert.deepEqual(shown(), runs);
  display.show(approved);
  assert.equal(display.display(two), 'waiting');
  assert.deepEqual(shown(), approved);
  await clock.advance(1);
  assert.deepEqual(shown(), approved);
  display.show(idle);
  assert.deepEqual(shown(), { ...idle, till: two });
  assert.ok(views.every(({ scene, till }) => till === undefined || scene === 'idle'));
  display.show(runs);
  display.show(approved);
  display.show(idle);
  assert.deepEqual(shown(), idle, 'not what was there before the payment');
});

test('its time ends beneath an outcome too', async () => {
  display.show(approved);
  display.display(one, 1_000);
  await clock.advance(1_000);
  display.show(idle);
  assert.deepEqual(views, [approved, idle]);
});

test('no card number; where the configuration forbids it, that is told', () => {
  const lines = [{ name: '7390 0101 0119', quantity: '4761', amount: '1.00' }];
  for (const till of [
    { posId: 'POS-1', text: ['4761739001010119'] },
    { posId: 'POS-1', cart: { currency: 'HKD', lines, total: '1.00' } },
  ])
    assert.equal(display.display(till), 'cardNumber');
  assert.deepEqual(views, []);
  assert.equal(displayOf({ cardNumbers: 'print' }).display({ posId: 'POS-1', text: ['4761739001010119'] }), 'shown');
  assert.partialDeepStrictEqual(displayOf({ isAllowed: false }).currentRefusal, { reason: 'displayNotAllowed' });
});
