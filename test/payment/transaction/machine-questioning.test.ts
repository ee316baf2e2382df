import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kept } from '../../../src/payment/transaction/machine.ts';
import { collectConclusion } from '../../../src/payment/transaction/decide.ts';
import { anything, approved, collectTimeoutMs, Stage } from './machine-stage.ts';

const questionMs = 60_000;
const kept = {
  kind: 'kept',
  amount: { minor: 3300n, currency: 'HKD' },
  modes: ['CARD', 'QR_PRESENT'],
  defaultMode: 'CARD',
  start: 'CARD',
  codeModes: ['QR_PRESENT'],
  wallets: ['FPS'],
} as const satisfies Kept;

const asking = () => Stage.at('CASH', { ...anything, questionMs });
const answer = (addedMinor: bigint) => ({ addedMinor, data: {} });
const choose = (stage: Stage, addedMinor = 300n) => stage.send({ type: 'ANSWER', answer: answer(addedMinor) });

test('the tip is asked for first, written, and decides what follows', async () => {
  const stage = asking();
  assert.equal(stage.state, 'questioning.choosing');
  assert.deepEqual(stage.running, []);
  choose(stage);
  assert.equal(stage.state, 'questioning.keeping');
  assert.deepEqual(stage.last('keepAnswer').input, answer(300n));
  await stage.gives('keepAnswer', kept);
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
  assert.equal(stage.state, 'questioning.choosing');
});

test('a tip that is chosen later is not heard: of the first one the reader is armed', async () => {
  const stage = asking();
  choose(stage);
  choose(stage, 500n);
  await stage.gives('keepAnswer', kept);
  choose(stage, 500n);
  assert.equal(stage.state, 'collecting.presenting CARD');
  assert.equal(stage.count('keepAnswer'), 1);
});

test('time over: no tip. An amount that was entered begins the time anew', () => {
  const stage = asking();
  stage.clock.increment(questionMs - 1);
  stage.send({ type: 'ENTERED' });
  stage.clock.increment(questionMs - 1);
  assert.equal(stage.state, 'questioning.choosing');
  stage.clock.increment(1);
  assert.equal(stage.state, 'questioning.keeping');
  assert.equal(stage.last('keepAnswer').input, undefined);
});

test('the time to present a card begins after the choice', async () => {
  const stage = asking();
  stage.clock.increment(questionMs - 1);
  choose(stage);
  await stage.gives('keepAnswer', kept);
  stage.clock.increment(collectTimeoutMs - 1);
  assert.equal(stage.state, 'collecting.presenting CARD');
  stage.clock.increment(1);
  assert.equal(stage.state, 'collecting.disarming');
});

test('a tip that is not possible now: the customer chooses again', async () => {
  const stage = asking();
  choose(stage);
  await stage.gives('keepAnswer', { kind: 'again' });
  assert.equal(stage.state, 'questioning.choosing');
});

test('nothing can be collected any more: it ends', async () => {
  const stage = asking();
  choose(stage, 0n);
  const conclusion = collectConclusion({ kind: 'device', device: 'card reader', code: 'vanished' });
  await stage.gives('keepAnswer', { kind: 'ended', conclusion });
  await stage.gives('conclude', undefined);
  assert.equal(stage.state, 'error');
  assert.equal(stage.conclusion, conclusion);
});

test('it can not be written: it ends, and nothing was armed', async () => {
  const stage = asking();
  choose(stage);
  await stage.fails('keepAnswer');
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
    assert.deepEqual(stage.running, ['keepAnswer']);
    await stage.gives('keepAnswer', kept);
    assert.deepEqual(stage.running, ['conclude']);
    assert.equal(stage.conclusion?.reason, 'cancelledByCustomer');
    assert.equal(stage.count('collect'), 0);
  });
});

test('a payment of a tipped amount ends as any other', async () => {
  const stage = asking();
  choose(stage);
  await stage.gives('keepAnswer', kept);
  await stage.gives('collect', { kind: 'collected' });
  await stage.gives('authorize', approved);
  assert.equal(stage.state, 'approved');
});

describe('a question about a card that was presented', () => {
  const asked = async () => {
    const stage = Stage.at('CARD', anything);
    await stage.gives('collect', { kind: 'collected', asks: 'pin', questionMs });
    return stage;
  };

  test('comes before the PIN, and nothing is armed meanwhile', async () => {
    const stage = await asked();
    assert.equal(stage.state, 'questioning.choosing');
    assert.deepEqual(stage.running, []);
    choose(stage);
    await stage.gives('keepAnswer', kept);
    assert.equal(stage.state, 'collecting.asking pin');
    await stage.gives('ask', { kind: 'collected' });
    assert.equal(stage.state, 'authorizing.atHost');
    assert.equal(stage.count('keepAnswer'), 1);
  });

  test('has the card presented again if what was read covers another amount', async () => {
    const stage = await asked();
    choose(stage);
    await stage.gives('keepAnswer', { ...kept, modes: ['CARD'], codeModes: [], wallets: [], presentAgain: true });
    assert.equal(stage.state, 'collecting.presenting CARD');
    assert.equal(stage.hint, 'presentAgain');
    stage.choose('CASH');
    assert.equal(stage.state, 'collecting.presenting CARD', 'the answer is about this card');
    await stage.gives('collect', { kind: 'collected' });
    assert.equal(stage.state, 'authorizing.atHost');
  });

  test('may be followed by another one', async () => {
    const stage = await asked();
    choose(stage);
    await stage.gives('keepAnswer', { ...kept, questionMs });
    assert.equal(stage.state, 'questioning.choosing');
    stage.clock.increment(questionMs);
    await stage.gives('keepAnswer', kept);
    assert.equal(stage.state, 'collecting.asking pin');
  });

  test('a cancel ends the payment', async () => {
    const stage = await asked();
    stage.cancel();
    await stage.gives('conclude', undefined);
    assert.equal(stage.conclusion?.reason, 'cancelledByPos');
    assert.equal(stage.count('authorize'), 0);
  });
});
