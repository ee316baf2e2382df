import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import type { CollectMode } from '../../src/domain/entry-mode.ts';
import type { Withdrawal } from '../../src/transaction/machine.ts';
import { anything, approved, Bench, collectTimeoutMs, declined, unknown, walletTimeoutMs } from './machine-bench.ts';

const payload = 'https://qr.example/1';

async function showing(): Promise<Bench> {
  const bench = Bench.at('QR_PRESENT');
  await bench.gives('askCode', { kind: 'shown', payload });
  return bench;
}

async function awaiting(): Promise<Bench> {
  const bench = Bench.at('QR_SCAN');
  await bench.gives('collect', { kind: 'collected' });
  await bench.gives('authorize', { kind: 'waiting' });
  return bench;
}

const asking = async () => Bench.at('QR_PRESENT');

const states = {
  asking: ['collecting.presentingCode.asking', asking],
  showing: ['collecting.presentingCode.showing', showing],
  awaiting: ['authorizing.awaitingCustomer', awaiting],
} as const satisfies Record<string, readonly [string, () => Promise<Bench>]>;

/** Why a code is withdrawn, and where that leads once nobody can pay it any more. */
type Reason = readonly [name: string, cause: (bench: Bench) => void, next: string];
const cancelled: Reason = ['a cancel', (bench) => bench.cancel('merchant'), 'TRANSACTION_ALREADY_CANCEL'];
const chosen = (mode: CollectMode, state: string): Reason => [
  `the choice of ${mode}`,
  (bench) => bench.choose(mode),
  state,
];
const collectTime: Reason = ['the time-out', (bench) => bench.clock.increment(collectTimeoutMs), 'TIMEOUT'];
const walletTime: Reason = ["the phone's time-out", (bench) => bench.clock.increment(walletTimeoutMs), 'TIMEOUT'];
const wallet: Reason = [
  'another wallet',
  (bench) => bench.send({ type: 'WALLET', scheme: 'WECHAT' }),
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
      const bench = await way();
      assert.equal(bench.state, state);
      cause(bench);
      assert.equal(bench.state, 'authorizing.withdrawing');
      assert.deepEqual(bench.running, ['withdraw'], 'what was asked for is given up, and nothing is armed');
      return bench;
    };

    test(`${where}, ${name}: the order is closed, then it goes on`, async () => {
      const bench = await withdrawing();
      await bench.gives('withdraw', { kind: 'closed' });
      if (next.startsWith('collecting')) {
        assert.equal(bench.state, next);
        assert.equal(bench.conclusion, undefined);
        assert.equal(bench.actor.getSnapshot().context.payload, undefined, 'the code is off the screen');
        if (name === 'another wallet') assert.equal(bench.last('askCode').input.scheme, 'WECHAT');
      } else {
        assert.equal(bench.state, 'authorizing.concluding');
        assert.equal(bench.last('conclude').input.result, next);
        await bench.gives('conclude', undefined);
        assert.equal(bench.state, 'error');
      }
    });

    test(`${where}, ${name}: it was paid in time, so it is approved`, async () => {
      const bench = await withdrawing();
      await bench.gives('withdraw', approved);
      assert.equal(bench.state, 'approved');
      assert.deepEqual(bench.conclusion, approved.conclusion);
      assert.equal(bench.count('conclude'), 0);
    });

    test(`${where}, ${name}: the wallet declined it, and that is the end`, async () => {
      const bench = await withdrawing();
      await bench.gives('withdraw', declined);
      assert.equal(bench.state, 'declined');
    });

    test(`${where}, ${name}: nobody knows, so it is undone`, async () => {
      const bench = await withdrawing();
      await bench.gives('withdraw', unknown);
      assert.equal(bench.state, 'authorizing.reversing');
      await bench.gives('reverse', undefined);
      assert.deepEqual(bench.last('conclude').input, unknown.conclusion);
      await bench.gives('conclude', undefined);
      assert.equal(bench.state, 'error');
    });

    test(`${where}, ${name}: the journal fails, so it is undone`, async () => {
      const bench = await withdrawing();
      await bench.fails('withdraw');
      assert.equal(bench.state, 'authorizing.reversing');
      assert.equal(bench.conclusion?.result, 'DATABASE_ERROR');
      assert.doesNotMatch(bench.conclusion?.message ?? '', /not sent/);
    });

    test(`${where}, ${name}: meanwhile a cancel is heard, nothing else`, async () => {
      const bench = await withdrawing();
      bench.choose('OCTOPUS');
      bench.send({ type: 'WALLET', scheme: 'ALIPAY' });
      bench.send({ type: 'GIVEN', answer: { kind: 'collected' } });
      bench.send({ type: 'START' });
      bench.clock.increment(collectTimeoutMs + walletTimeoutMs);
      assert.equal(bench.state, 'authorizing.withdrawing');
      bench.cancel('pos');
      assert.deepEqual(bench.running, ['withdraw'], 'it is not begun again');
      await bench.gives('withdraw', { kind: 'closed' });
      const first = next.startsWith('collecting') ? 'TRANSACTION_ALREADY_CANCEL' : next;
      assert.equal(bench.last('conclude').input.result, first);
    });
  }

  test(`${where}: what was asked for fails to say`, async () => {
    const bench = await way();
    if (where === 'asking') {
      await bench.fails('askCode');
      assert.equal(bench.state, 'error');
      assert.equal(bench.conclusion?.result, 'DATABASE_ERROR');
      assert.equal(bench.count('withdraw'), 0, 'nothing left this terminal');
    } else {
      await bench.fails('awaitPayment');
      assert.equal(bench.state, 'authorizing.withdrawing');
      await bench.gives('withdraw', { kind: 'closed' });
      assert.equal(bench.last('conclude').input.result, 'TIMEOUT');
    }
  });
}

test('asked for, shown, paid', async () => {
  const bench = await asking();
  assert.equal(bench.actor.getSnapshot().context.payload, undefined);
  await bench.gives('askCode', { kind: 'shown', payload });
  assert.equal(bench.actor.getSnapshot().context.payload, payload);
  assert.deepEqual(bench.running, ['awaitPayment']);
  await bench.gives('awaitPayment', approved);
  assert.deepEqual(bench.states.slice(1), [
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
    const bench = await asking();
    await bench.gives('askCode', end);
    assert.equal(bench.state, state);
  });
  for (const [where, way] of [
    ['the code', showing],
    ['the phone', awaiting],
  ] as const) {
    test(`${where} is waited for: ${name}`, async () => {
      const bench = await way();
      await bench.gives('awaitPayment', end);
      assert.equal(bench.state, state);
      if (name === 'closed') assert.equal(bench.last('conclude').input.result, 'TIMEOUT');
    });
  }
}

test('the wallet on show again, one that has no code here, and the same method change nothing', async () => {
  for (const way of [asking, showing]) {
    const bench = await way();
    const { state } = bench;
    bench.send({ type: 'WALLET', scheme: 'ALIPAY' });
    bench.send({ type: 'WALLET', scheme: 'FPS' });
    bench.choose('QR_PRESENT');
    bench.send({ type: 'GIVEN', answer: { kind: 'collected' } });
    assert.equal(bench.state, state);
  }
});

test('asked on the phone, no other method can be chosen, and the time to collect is over', async () => {
  const bench = await awaiting();
  bench.choose('CARD');
  bench.send({ type: 'WALLET', scheme: 'WECHAT' });
  bench.clock.increment(walletTimeoutMs - 1);
  assert.equal(bench.state, 'authorizing.awaitingCustomer');
  bench.clock.increment(1);
  assert.equal(bench.state, 'authorizing.withdrawing');
});

test('paid in the same turn as the cancel: the order is asked for all the same', async () => {
  for (const isFirst of [true, false]) {
    const bench = await showing();
    const pay = () => bench.last('awaitPayment').settle.resolve(approved);
    if (isFirst) pay();
    bench.cancel();
    if (!isFirst) pay();
    await setImmediate();
    assert.equal(bench.state, 'authorizing.withdrawing');
    await bench.gives('withdraw', approved);
    assert.equal(bench.state, 'approved');
  }
});

test('from method to method and back: each order is closed before the next thing', async () => {
  const bench = await showing();
  bench.choose('CARD');
  await bench.gives('withdraw', { kind: 'closed' });
  bench.choose('QR_PRESENT');
  await bench.gives('disarm', undefined);
  assert.equal(bench.state, 'collecting.presentingCode.asking');
  assert.equal(bench.last('askCode').input.scheme, 'ALIPAY');
  bench.send({ type: 'WALLET', scheme: 'WECHAT' });
  await bench.gives('withdraw', { kind: 'closed' });
  await bench.gives('askCode', { kind: 'shown', payload: 'https://qr.example/2' });
  bench.choose('CASH');
  await bench.gives('withdraw', { kind: 'closed' });
  bench.send({ type: 'GIVEN', answer: { kind: 'collected' } });
  await bench.gives('authorize', approved);
  assert.equal(bench.state, 'approved');
  assert.ok(!bench.states.some((state) => state.includes(' beside ')), bench.states.join());
});

test('no wallet shows a code here: whoever asks for one says so', async () => {
  const bench = Bench.at('QR_PRESENT', { ...anything, wallets: [] });
  assert.equal(bench.last('askCode').input.scheme, undefined);
  await bench.gives('askCode', declined);
  assert.equal(bench.state, 'declined');
});
