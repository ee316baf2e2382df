import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import type { CollectMode } from '../../../src/base/domain/payment-scheme.ts';
import type { Withdrawal } from '../../../src/payment/transaction/machine.ts';
import { anything, approved, Stage, collectTimeoutMs, declined, unknown, walletTimeoutMs } from './machine-stage.ts';

const payload = 'https://qr.example/1';

async function showing(): Promise<Stage> {
  const stage = Stage.at('QR_PRESENT');
  await stage.gives('askCode', { kind: 'shown', payload });
  return stage;
}

async function awaiting(): Promise<Stage> {
  const stage = Stage.at('QR_SCAN');
  await stage.gives('collect', { kind: 'collected' });
  await stage.gives('authorize', { kind: 'waiting' });
  return stage;
}

const asking = async () => Stage.at('QR_PRESENT');

const states = {
  asking: ['collecting.presentingCode.asking', asking],
  showing: ['collecting.presentingCode.showing', showing],
  awaiting: ['authorizing.awaitingCustomer', awaiting],
} as const satisfies Record<string, readonly [string, () => Promise<Stage>]>;

/** Why a code is withdrawn, and where that leads once nobody can pay it any more. */
type Reason = readonly [name: string, cause: (stage: Stage) => void, next: string];
const cancelled: Reason = ['a cancel', (stage) => stage.cancel('merchant'), 'TRANSACTION_ALREADY_CANCEL'];
const chosen = (mode: CollectMode, state: string): Reason => [
  `the choice of ${mode}`,
  (stage) => stage.choose(mode),
  state,
];
const collectTime: Reason = ['the time-out', (stage) => stage.clock.increment(collectTimeoutMs), 'TIMEOUT'];
const walletTime: Reason = ["the phone's time-out", (stage) => stage.clock.increment(walletTimeoutMs), 'TIMEOUT'];
const wallet: Reason = [
  'another wallet',
  (stage) => stage.send({ type: 'WALLET', scheme: 'WECHAT' }),
  'collecting.presentingCode.asking',
];
const whileShown: readonly Reason[] = [
  cancelled,
  collectTime,
  wallet,
  chosen('CARD', 'collecting.presenting CARD'),
  chosen('QR_SCAN', 'collecting.presenting QR_SCAN'),
  chosen('CASH', 'collecting.presenting CASH'),
];
const reasons = { asking: whileShown, showing: whileShown, awaiting: [cancelled, walletTime] } as const;

for (const [where, [state, way]] of Object.entries(states)) {
  for (const [name, cause, next] of reasons[where as keyof typeof states]) {
    const withdrawing = async () => {
      const stage = await way();
      assert.equal(stage.state, state);
      cause(stage);
      assert.equal(stage.state, 'authorizing.withdrawing');
      assert.deepEqual(stage.running, ['withdraw'], 'what was asked for is given up, and nothing is armed');
      return stage;
    };

    test(`${where}, ${name}: the order is closed, then it goes on`, async () => {
      const stage = await withdrawing();
      await stage.gives('withdraw', { kind: 'closed' });
      if (next.startsWith('collecting')) {
        assert.equal(stage.state, next);
        assert.equal(stage.conclusion, undefined);
        assert.equal(stage.actor.getSnapshot().context.payload, undefined, 'the code is off the screen');
        if (name === 'another wallet') assert.equal(stage.last('askCode').input.scheme, 'WECHAT');
      } else {
        assert.equal(stage.state, 'authorizing.concluding');
        assert.equal(stage.last('conclude').input.result, next);
        await stage.gives('conclude', undefined);
        assert.equal(stage.state, 'error');
      }
    });

    test(`${where}, ${name}: it was paid in time, so it is approved`, async () => {
      const stage = await withdrawing();
      await stage.gives('withdraw', approved);
      assert.equal(stage.state, 'approved');
      assert.deepEqual(stage.conclusion, approved.conclusion);
      assert.equal(stage.count('conclude'), 0);
    });

    test(`${where}, ${name}: the wallet declined it, and that is the end`, async () => {
      const stage = await withdrawing();
      await stage.gives('withdraw', declined);
      assert.equal(stage.state, 'declined');
    });

    test(`${where}, ${name}: nobody knows, so it is undone`, async () => {
      const stage = await withdrawing();
      await stage.gives('withdraw', unknown);
      assert.equal(stage.state, 'authorizing.reversing');
      await stage.gives('reverse', undefined);
      assert.deepEqual(stage.last('conclude').input, unknown.conclusion);
      await stage.gives('conclude', undefined);
      assert.equal(stage.state, 'error');
    });

    test(`${where}, ${name}: the journal fails, so it is undone`, async () => {
      const stage = await withdrawing();
      await stage.fails('withdraw');
      assert.equal(stage.state, 'authorizing.reversing');
      assert.equal(stage.conclusion?.result, 'DATABASE_ERROR');
      assert.doesNotMatch(stage.conclusion?.message ?? '', /not sent/);
    });

    test(`${where}, ${name}: meanwhile a cancel is heard, nothing else`, async () => {
      const stage = await withdrawing();
      stage.choose('OCTOPUS');
      stage.send({ type: 'WALLET', scheme: 'ALIPAY' });
      stage.send({ type: 'GIVEN', answer: { kind: 'collected' } });
      stage.send({ type: 'START' });
      stage.clock.increment(collectTimeoutMs + walletTimeoutMs);
      assert.equal(stage.state, 'authorizing.withdrawing');
      stage.cancel('pos');
      assert.deepEqual(stage.running, ['withdraw'], 'it is not begun again');
      await stage.gives('withdraw', { kind: 'closed' });
      const first = next.startsWith('collecting') ? 'TRANSACTION_ALREADY_CANCEL' : next;
      assert.equal(stage.last('conclude').input.result, first);
    });
  }

  test(`${where}: what was asked for fails to say`, async () => {
    const stage = await way();
    if (where === 'asking') {
      await stage.fails('askCode');
      assert.equal(stage.state, 'error');
      assert.equal(stage.conclusion?.result, 'DATABASE_ERROR');
      assert.equal(stage.count('withdraw'), 0, 'nothing left this terminal');
    } else {
      await stage.fails('awaitPayment');
      assert.equal(stage.state, 'authorizing.withdrawing');
      await stage.gives('withdraw', { kind: 'closed' });
      assert.equal(stage.last('conclude').input.result, 'TIMEOUT');
    }
  });
}

test('asked for, shown, paid', async () => {
  const stage = await asking();
  assert.equal(stage.actor.getSnapshot().context.payload, undefined);
  await stage.gives('askCode', { kind: 'shown', payload });
  assert.equal(stage.actor.getSnapshot().context.payload, payload);
  assert.deepEqual(stage.running, ['awaitPayment']);
  await stage.gives('awaitPayment', approved);
  assert.deepEqual(stage.states.slice(1), [
    'collecting.presentingCode.asking',
    'collecting.presentingCode.showing',
    'approved',
  ]);
});

const ends: readonly (readonly [name: string, end: Withdrawal, state: string])[] = [
  ['paid', approved, 'approved'],
  ['declined', declined, 'declined'],
  ['unknown', unknown, 'authorizing.reversing'],
  ['closed', { kind: 'closed' }, 'authorizing.concluding'],
];
for (const [name, end, state] of ends) {
  test(`no code comes: ${name}`, async () => {
    const stage = await asking();
    await stage.gives('askCode', end);
    assert.equal(stage.state, state);
  });
  for (const [where, way] of [
    ['the code', showing],
    ['the phone', awaiting],
  ] as const) {
    test(`${where} is waited for: ${name}`, async () => {
      const stage = await way();
      await stage.gives('awaitPayment', end);
      assert.equal(stage.state, state);
      if (name === 'closed') assert.equal(stage.last('conclude').input.result, 'TIMEOUT');
    });
  }
}

test('the wallet on show again, one that has no code here, and the same method change nothing', async () => {
  for (const way of [asking, showing]) {
    const stage = await way();
    const { state } = stage;
    stage.send({ type: 'WALLET', scheme: 'ALIPAY' });
    stage.send({ type: 'WALLET', scheme: 'FPS' });
    stage.choose('QR_PRESENT');
    stage.send({ type: 'GIVEN', answer: { kind: 'collected' } });
    assert.equal(stage.state, state);
  }
});

test('asked on the phone, no other method can be chosen, and the time to collect is over', async () => {
  const stage = await awaiting();
  stage.choose('CARD');
  stage.send({ type: 'WALLET', scheme: 'WECHAT' });
  stage.clock.increment(walletTimeoutMs - 1);
  assert.equal(stage.state, 'authorizing.awaitingCustomer');
  stage.clock.increment(1);
  assert.equal(stage.state, 'authorizing.withdrawing');
});

test('paid in the same turn as the cancel: the order is asked for all the same', async () => {
  for (const isFirst of [true, false]) {
    const stage = await showing();
    const pay = () => stage.last('awaitPayment').settle.resolve(approved);
    if (isFirst) pay();
    stage.cancel();
    if (!isFirst) pay();
    await setImmediate();
    assert.equal(stage.state, 'authorizing.withdrawing');
    await stage.gives('withdraw', approved);
    assert.equal(stage.state, 'approved');
  }
});

test('from method to method and back: each order is closed before the next thing', async () => {
  const stage = await showing();
  stage.choose('CARD');
  await stage.gives('withdraw', { kind: 'closed' });
  stage.choose('QR_PRESENT');
  await stage.gives('disarm', undefined);
  assert.equal(stage.state, 'collecting.presentingCode.asking');
  assert.equal(stage.last('askCode').input.scheme, 'ALIPAY');
  stage.send({ type: 'WALLET', scheme: 'WECHAT' });
  await stage.gives('withdraw', { kind: 'closed' });
  await stage.gives('askCode', { kind: 'shown', payload: 'https://qr.example/2' });
  stage.choose('CASH');
  await stage.gives('withdraw', { kind: 'closed' });
  stage.send({ type: 'GIVEN', answer: { kind: 'collected' } });
  await stage.gives('authorize', approved);
  assert.equal(stage.state, 'approved');
  assert.ok(!stage.states.some((state) => state.includes(' beside ')), stage.states.join());
});

test('no wallet shows a code here: whoever asks for one says so', async () => {
  const stage = Stage.at('QR_PRESENT', { ...anything, wallets: [] });
  assert.equal(stage.last('askCode').input.scheme, undefined);
  await stage.gives('askCode', declined);
  assert.equal(stage.state, 'declined');
});
