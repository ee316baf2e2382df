import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TipKept } from '../../../src/payment/transaction/machine.ts';
import { collectConclusion } from '../../../src/payment/transaction/decide.ts';
import { anything, approved, collectTimeoutMs, Stage } from './machine-stage.ts';

const tipTimeoutMs = 60_000;
const kept = {
  kind: 'kept',
  amount: { minor: 3300n, currency: 'HKD' },
  modes: ['CARD', 'QR_PRESENT'],
  defaultMode: 'CARD',
  start: 'CARD',
  codeModes: ['QR_PRESENT'],
  wallets: ['FPS'],
} as const satisfies TipKept;

const asking = () => Stage.at('CASH', { ...anything, tipTimeoutMs });
const choose = (stage: Stage, tipMinor = 300n) => stage.send({ type: 'TIP', tipMinor });

test('the tip is asked for first, written, and decides what follows', async () => {
  const stage = asking();
  assert.equal(stage.state, 'tipping.choosingTip');
  assert.deepEqual(stage.running, []);
  choose(stage);
  assert.equal(stage.state, 'tipping.keepingTip');
  assert.equal(stage.last('keepTip').input, 300n);
  await stage.gives('keepTip', kept);
  assert.equal(stage.state, 'collecting.presenting CARD');
  const { amount, modes, wallet } = stage.actor.getSnapshot().context;
  assert.deepEqual([amount.minor, modes, wallet], [3300n, kept.modes, 'FPS']);
  stage.choose('CASH');
  assert.equal(stage.state, 'collecting.presenting CARD', 'a mode that the tip excludes is not offered any more');
});

test('nothing that belongs to a later step is heard', () => {
  const stage = asking();
  stage.choose('CARD');
  stage.send({ type: 'WALLET', scheme: 'WECHAT' });
  stage.send({ type: 'GIVEN', answer: { kind: 'collected' } });
  assert.equal(stage.state, 'tipping.choosingTip');
});

test('a tip that is chosen later is not heard: of the first one the reader is armed', async () => {
  const stage = asking();
  choose(stage);
  choose(stage, 500n);
  await stage.gives('keepTip', kept);
  choose(stage, 500n);
  assert.equal(stage.state, 'collecting.presenting CARD');
  assert.equal(stage.count('keepTip'), 1);
});

test('time over: no tip. An amount that was entered begins the time anew', () => {
  const stage = asking();
  stage.clock.increment(tipTimeoutMs - 1);
  stage.send({ type: 'TIP_ENTERED' });
  stage.clock.increment(tipTimeoutMs - 1);
  assert.equal(stage.state, 'tipping.choosingTip');
  stage.clock.increment(1);
  assert.equal(stage.state, 'tipping.keepingTip');
  assert.equal(stage.last('keepTip').input, 0n);
});

test('the time to present a card begins after the choice', async () => {
  const stage = asking();
  stage.clock.increment(tipTimeoutMs - 1);
  choose(stage);
  await stage.gives('keepTip', kept);
  stage.clock.increment(collectTimeoutMs - 1);
  assert.equal(stage.state, 'collecting.presenting CARD');
  stage.clock.increment(1);
  assert.equal(stage.state, 'collecting.disarming');
});

test('a tip that is not possible now: the customer chooses again', async () => {
  const stage = asking();
  choose(stage);
  await stage.gives('keepTip', { kind: 'again' });
  assert.equal(stage.state, 'tipping.choosingTip');
});

test('nothing can be collected any more: it ends', async () => {
  const stage = asking();
  choose(stage, 0n);
  const conclusion = collectConclusion({ kind: 'device', device: 'card reader', code: 'vanished' });
  await stage.gives('keepTip', { kind: 'ended', conclusion });
  await stage.gives('conclude', undefined);
  assert.equal(stage.state, 'error');
  assert.equal(stage.conclusion, conclusion);
});

test('it can not be written: it ends, and nothing was armed', async () => {
  const stage = asking();
  choose(stage);
  await stage.fails('keepTip');
  assert.equal(stage.state, 'error');
  assert.equal(stage.conclusion?.reason, 'paymentNotWritten');
  assert.equal(stage.count('collect'), 0);
});

describe('a cancel', () => {
  test('while the customer chooses ends it at once', async () => {
    const stage = asking();
    stage.cancel();
    assert.deepEqual(stage.running, ['conclude']);
    await stage.gives('conclude', undefined);
    assert.equal(stage.conclusion?.reason, 'cancelledByPos');
  });

  test('while the tip is written waits for that, and arms nothing', async () => {
    const stage = asking();
    choose(stage);
    stage.cancel('customer');
    assert.deepEqual(stage.running, ['keepTip']);
    await stage.gives('keepTip', kept);
    assert.deepEqual(stage.running, ['conclude']);
    assert.equal(stage.conclusion?.reason, 'cancelledByCustomer');
    assert.equal(stage.count('collect'), 0);
  });
});

test('a payment of a tipped amount ends as any other', async () => {
  const stage = asking();
  choose(stage);
  await stage.gives('keepTip', kept);
  await stage.gives('collect', { kind: 'collected' });
  await stage.gives('authorize', approved);
  assert.equal(stage.state, 'approved');
});
