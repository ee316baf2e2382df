import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { createActor, fromPromise, toPromise } from 'xstate';
import type { CollectMode } from '../../src/domain/entry-mode.ts';
import { DeviceError } from '../../src/ports/device.ts';
import { type Conclusion, failure } from '../../src/events/conclusion.ts';
import { type Collecting, type TransactionEvent, transactionMachine } from '../../src/transaction/machine.ts';
import {
  type ActorName,
  anything,
  approved,
  Bench,
  byReference,
  collectTimeoutMs,
  declined,
  ends,
  everyMode,
  notSent,
  unknown,
  walletTimeoutMs,
} from './machine-bench.ts';

const plain: Collecting = { kind: 'collected' };
const given = { type: 'GIVEN', answer: { kind: 'collected' } } as const;

/** Where each mode starts, and what is armed or asked there. */
const starts: Readonly<Record<(typeof everyMode)[number], { readonly state: string; readonly actor: ActorName }>> = {
  CARD: { state: 'collecting.presenting CARD', actor: 'collect' },
  EPS: { state: 'collecting.presenting EPS', actor: 'collect' },
  QR_SCAN: { state: 'collecting.presenting QR_SCAN', actor: 'collect' },
  QR_PRESENT: { state: 'collecting.presentingCode.asking', actor: 'askCode' },
  OCTOPUS: { state: 'collecting.presenting OCTOPUS', actor: 'collect' },
  CASH: { state: 'collecting.presenting CASH', actor: 'collect' },
};

test('the machine alone provides no actor: it ends in an error, sends nothing and rejects nothing', async () => {
  const actor = createActor(transactionMachine, { input: { ...anything, start: 'CARD' } });
  actor.start();
  actor.send({ type: 'START' });
  await toPromise(actor);
  assert.equal(actor.getSnapshot().value, 'error');
  assert.equal(actor.getSnapshot().context.conclusion?.result, 'ERROR');
});

for (const mode of everyMode) {
  test(`${mode}: it starts there, with one thing armed`, () => {
    const bench = Bench.at(mode);
    const { state, actor } = starts[mode];
    assert.equal(bench.state, state);
    assert.deepEqual(bench.running, [actor]);
    if (actor === 'collect') assert.equal(bench.last('collect').input, mode);
    if (actor === 'askCode') assert.deepEqual(bench.last('askCode').input, { mode, scheme: 'ALIPAY' });
  });
}

test('with no start the merchant chooses, while the reader takes any card', async () => {
  const bench = Bench.at(undefined);
  assert.equal(bench.state, 'collecting.choosingMethod');
  assert.equal(bench.last('collect').input, undefined);
  await bench.gives('collect', plain);
  assert.equal(bench.state, 'authorizing.atHost');
  assert.equal(bench.actor.getSnapshot().context.mode, 'CARD');
});

test('with no mode it goes straight to the host, and a cancel there is too late', async () => {
  const bench = Bench.at(undefined, byReference);
  assert.equal(bench.state, 'authorizing.atHost');
  bench.cancel();
  bench.clock.increment(collectTimeoutMs + walletTimeoutMs);
  assert.deepEqual(bench.running, ['authorize']);
  await bench.gives('authorize', approved);
  assert.equal(bench.state, 'approved');
  assert.deepEqual(
    bench.calls.map(({ name }) => name),
    ['authorize'],
  );
});

for (const [name, authorization, end] of [
  ['approved', approved, 'approved'],
  ['declined', declined, 'declined'],
  ['not sent', notSent, 'error'],
] as const) {
  test(`${name}: nothing is written or disarmed again`, async () => {
    const bench = Bench.at('CARD');
    await bench.gives('collect', plain);
    await bench.gives('authorize', authorization);
    assert.deepEqual(bench.states, ['idle', 'collecting.presenting CARD', 'authorizing.atHost', end]);
    assert.deepEqual(bench.conclusion, authorization.conclusion);
    assert.deepEqual(
      bench.calls.map((call) => call.name),
      ['collect', 'authorize'],
    );
  });
}

test('unknown: reversing, then the conclusion is written, then error', async () => {
  const bench = Bench.at('CARD');
  await bench.gives('collect', plain);
  await bench.gives('authorize', unknown);
  assert.equal(bench.state, 'authorizing.reversing');
  assert.equal(bench.count('conclude'), 0);
  await bench.gives('reverse', undefined);
  assert.equal(bench.state, 'authorizing.concluding');
  assert.deepEqual(bench.last('conclude').input, unknown.conclusion);
  await bench.gives('conclude', undefined);
  assert.equal(bench.state, 'error');
});

test('a reversal and a conclusion that fail: over all the same, with its own outcome', async () => {
  const bench = Bench.at('CARD');
  await bench.gives('collect', plain);
  const unwritten = failure('DATABASE_ERROR', 'the answer could not be written');
  await bench.gives('authorize', { kind: 'unknown', conclusion: unwritten });
  await bench.fails('reverse');
  assert.equal(bench.state, 'authorizing.concluding');
  await bench.fails('conclude');
  assert.equal(bench.state, 'error');
  assert.deepEqual(bench.conclusion, unwritten);
});

test('the intent can not be written: nothing was sent, nothing is reversed', async () => {
  const bench = Bench.at('CARD');
  await bench.gives('collect', plain);
  await bench.fails('authorize');
  assert.equal(bench.state, 'error');
  assert.equal(bench.conclusion?.result, 'DATABASE_ERROR');
  assert.equal(bench.count('reverse'), 0);
});

test('nothing that was collected is in the context', async () => {
  const bench = Bench.at('EPS');
  await bench.gives('collect', { kind: 'collected', asks: 'account' });
  bench.send({ type: 'GIVEN', answer: { kind: 'collected', asks: 'pin' } });
  await bench.gives('ask', { kind: 'collected' });
  const { amount: _amount, ...context } = bench.actor.getSnapshot().context;
  assert.doesNotMatch(JSON.stringify(context), /track|block|pan|ksn/i);
});

// A card and what it asks

for (const start of ['CARD', 'EPS', 'QR_SCAN', 'OCTOPUS', undefined] as const) {
  test(`nothing that can pay, ${start ?? 'any method'}: armed again with a hint, and the time-out goes on`, async () => {
    const bench = Bench.at(start);
    const { state } = bench;
    bench.clock.increment(collectTimeoutMs / 2);
    await bench.gives('collect', { kind: 'again', hint: 'holdCard' });
    assert.equal(bench.state, state);
    assert.deepEqual(bench.running, ['collect']);
    assert.equal(bench.last('collect').input, start);
    assert.equal(bench.hint, 'holdCard');
    bench.clock.increment(collectTimeoutMs / 2);
    assert.equal(bench.state, 'collecting.disarming');
    assert.equal(bench.conclusion?.result, 'TIMEOUT');
  });
}

for (const start of ['CARD', undefined] as const) {
  for (const [failure, result, by] of [
    [{ kind: 'timeout' }, 'TIMEOUT', /time/],
    [{ kind: 'cancelled', by: 'customer' }, 'TRANSACTION_ALREADY_CANCEL', /customer/],
    [{ kind: 'refused', reason: 'expired' }, 'DECLINED', /expired/],
  ] as const) {
    test(`collecting ends with ${failure.kind}, ${start ?? 'any method'}: written, then over`, async () => {
      const bench = Bench.at(start);
      await bench.gives('collect', ends(failure));
      assert.equal(bench.state, 'collecting.concluding');
      assert.equal(bench.last('conclude').input.result, result);
      assert.match(bench.last('conclude').input.message, by);
      assert.equal(bench.count('disarm'), 0, 'it is disarmed already');
      await bench.gives('conclude', undefined);
      assert.equal(bench.state, result === 'DECLINED' ? 'declined' : 'error');
    });
  }
}

test('a PIN: entered once, wrong once, right then', async () => {
  const bench = Bench.at('CARD');
  await bench.gives('collect', { kind: 'collected', asks: 'pin' });
  assert.equal(bench.state, 'collecting.asking pin');
  assert.deepEqual(bench.last('ask').input, { mode: 'CARD', asks: 'pin', again: false });
  await bench.gives('ask', { kind: 'collected' });
  assert.equal(bench.state, 'authorizing.atHost');
  await bench.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  assert.equal(bench.state, 'collecting.asking pin');
  assert.equal(bench.hint, 'wrongPin');
  assert.deepEqual(bench.last('ask').input, { mode: 'CARD', asks: 'pin', again: true });
  await bench.gives('ask', { kind: 'collected' });
  assert.equal(bench.hint, undefined, 'nobody says that this one is wrong');
  await bench.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  assert.deepEqual(bench.last('ask').input, { mode: 'CARD', asks: 'pin', again: true });
  await bench.gives('ask', { kind: 'collected' });
  await bench.gives('authorize', approved);
  assert.equal(bench.state, 'approved');
  assert.equal(bench.count('collect'), 1);
});

test('an account, answered on the screen, then its PIN', async () => {
  const bench = Bench.at('EPS');
  await bench.gives('collect', { kind: 'collected', asks: 'account' });
  assert.equal(bench.state, 'collecting.asking account');
  assert.deepEqual(bench.last('ask').input, { mode: 'EPS', asks: 'account', again: false });
  bench.send({ type: 'GIVEN', answer: { kind: 'collected', asks: 'pin' } });
  assert.equal(bench.state, 'collecting.asking pin');
});

for (const [kind, result] of [
  ['cancelled', 'TRANSACTION_ALREADY_CANCEL'],
  ['timeout', 'TIMEOUT'],
] as const) {
  test(`the PIN pad says ${kind}, also after a wrong PIN`, async () => {
    for (const tries of [0, 1]) {
      const bench = Bench.at('CARD');
      await bench.gives('collect', { kind: 'collected', asks: 'pin' });
      if (tries > 0) {
        await bench.gives('ask', { kind: 'collected' });
        await bench.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
      }
      await bench.gives('ask', ends(kind === 'timeout' ? { kind } : { kind, by: 'customer' }));
      assert.equal(bench.state, 'collecting.concluding');
      assert.equal(bench.last('conclude').input.result, result);
    }
  });
}

test('a chip has the last word', async () => {
  for (const [output, states] of [
    [approved, ['authorizing.completingCard', 'approved']],
    [
      { kind: 'unknown', conclusion: declined.conclusion },
      ['authorizing.completingCard', 'authorizing.reversing', 'authorizing.concluding', 'declined'],
    ],
  ] as const) {
    const bench = Bench.at('CARD');
    await bench.gives('collect', plain);
    await bench.gives('authorize', { kind: 'card' });
    bench.cancel();
    bench.clock.increment(collectTimeoutMs + walletTimeoutMs);
    assert.deepEqual(bench.running, ['completeCard']);
    await bench.gives('completeCard', output);
    if (output.kind === 'unknown') {
      await bench.gives('reverse', undefined);
      await bench.gives('conclude', undefined);
    }
    assert.deepEqual(bench.states.slice(-states.length), [...states]);
  }
});

test('what the chip said can not be written: reversed', async () => {
  const bench = Bench.at('CARD');
  await bench.gives('collect', plain);
  await bench.gives('authorize', { kind: 'card' });
  await bench.fails('completeCard');
  assert.equal(bench.state, 'authorizing.reversing');
  assert.equal(bench.conclusion?.result, 'DATABASE_ERROR');
  assert.doesNotMatch(bench.conclusion?.message ?? '', /not sent/);
});

// What the screen gives, and what is to be presented once more

test('what was collected on the screen goes on at once, and once', async () => {
  const bench = Bench.at('CASH');
  bench.send(given);
  assert.equal(bench.state, 'authorizing.atHost');
  bench.send(given);
  assert.equal(bench.count('authorize'), 1);
});

test('a charge that came to nothing: presented again with its hint, and the merchant may change', async () => {
  const bench = Bench.at('OCTOPUS');
  await bench.gives('collect', plain);
  assert.equal(bench.hint, undefined);
  await bench.gives('authorize', { kind: 'again', hint: 'presentAgain' });
  assert.equal(bench.state, 'collecting.presenting OCTOPUS');
  assert.equal(bench.hint, 'presentAgain');
  bench.choose('CASH');
  await bench.gives('disarm', undefined);
  assert.equal(bench.state, 'collecting.presenting CASH');
  assert.equal(bench.hint, undefined);
});

// Every way out of every state that collects by a device

type Way = readonly [name: string, state: string, actor: 'collect' | 'ask', way: () => Promise<Bench> | Bench];

const ways: readonly Way[] = [
  ['any method', 'choosingMethod', 'collect', () => Bench.at(undefined)],
  ['a card', 'presenting CARD', 'collect', () => Bench.at('CARD')],
  ['a card of EPS', 'presenting EPS', 'collect', () => Bench.at('EPS')],
  ['a code', 'presenting QR_SCAN', 'collect', () => Bench.at('QR_SCAN')],
  ['Octopus', 'presenting OCTOPUS', 'collect', () => Bench.at('OCTOPUS')],
  ['cash', 'presenting CASH', 'collect', () => Bench.at('CASH')],
  [
    'the account',
    'asking account',
    'ask',
    async () => {
      const bench = Bench.at('EPS');
      await bench.gives('collect', { kind: 'collected', asks: 'account' });
      return bench;
    },
  ],
  [
    'the PIN',
    'asking pin',
    'ask',
    async () => {
      const bench = Bench.at('CARD');
      await bench.gives('collect', { kind: 'collected', asks: 'pin' });
      return bench;
    },
  ],
  [
    'the PIN again',
    'asking pin',
    'ask',
    async () => {
      const bench = Bench.at('CARD');
      await bench.gives('collect', { kind: 'collected', asks: 'pin' });
      await bench.gives('ask', { kind: 'collected' });
      await bench.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
      return bench;
    },
  ],
];

for (const [name, state, actor, way] of ways) {
  test(`while ${name} is waited for: time-out, disarmed, written, over`, async () => {
    const bench = await way();
    assert.equal(bench.state, `collecting.${state}`);
    bench.clock.increment(collectTimeoutMs - 1);
    assert.equal(bench.state, `collecting.${state}`);
    bench.clock.increment(1);
    assert.equal(bench.state, 'collecting.disarming');
    assert.deepEqual(bench.running, ['disarm']);
    await bench.gives('disarm', undefined);
    assert.equal(bench.state, 'collecting.concluding');
    assert.equal(bench.last('conclude').input.result, 'TIMEOUT');
    await bench.gives('conclude', undefined);
    assert.equal(bench.state, 'error');
    assert.deepEqual(bench.running, []);
  });

  for (const by of ['pos', 'merchant', 'customer'] as const) {
    test(`while ${name} is waited for: cancelled by ${by}, disarmed, written, over`, async () => {
      const bench = await way();
      bench.cancel(by);
      assert.equal(bench.state, 'collecting.disarming');
      assert.deepEqual(bench.running, ['disarm']);
      // Too late for any of this.
      bench.cancel(by === 'pos' ? 'merchant' : 'pos');
      bench.choose('CASH');
      bench.clock.increment(collectTimeoutMs);
      await bench.gives('disarm', undefined);
      const { result, message } = bench.last('conclude').input;
      assert.equal(result, 'TRANSACTION_ALREADY_CANCEL');
      assert.match(message, new RegExp(by, 'i'));
      await bench.gives('conclude', undefined);
      assert.equal(bench.state, 'error');
    });
  }

  test(`while ${name} is waited for: the merchant changes to anything else, nothing armed before it is disarmed`, async () => {
    for (const mode of everyMode) {
      const bench = await way();
      if (bench.actor.getSnapshot().context.mode === mode) continue;
      bench.choose(mode);
      assert.equal(bench.state, 'collecting.disarming');
      assert.deepEqual(bench.running, ['disarm']);
      await bench.gives('disarm', undefined);
      assert.equal(bench.state, starts[mode].state);
      assert.deepEqual(bench.running, [starts[mode].actor]);
      assert.ok(!bench.states.some((each) => each.includes(' beside ')), bench.states.join());
      assert.equal(bench.hint, undefined);
    }
  });

  test(`while ${name} is waited for: the same again, one that is not offered and a wallet change nothing`, async () => {
    const bench = await way();
    const { mode } = bench.actor.getSnapshot().context;
    if (mode) bench.choose(mode);
    bench.send({ type: 'WALLET', scheme: 'WECHAT' });
    bench.send({ type: 'START' });
    assert.equal(bench.state, `collecting.${state}`);
    assert.deepEqual(bench.running, [actor]);
  });

  test(`while ${name} is waited for: what waits fails, told with its code`, async () => {
    const bench = await way();
    await bench.fails(actor, new DeviceError('vanished', 'gone'));
    assert.equal(bench.state, 'collecting.concluding');
    const { message, result } = bench.last('conclude').input;
    assert.equal(result, 'ERROR');
    assert.equal(message, 'the payment could not be collected (vanished)');
  });

  test(`while ${name} is waited for: what crosses with the cancel is not charged`, async () => {
    for (const isFirst of [true, false]) {
      const bench = await way();
      const give = () => bench.last(actor).settle.resolve(plain);
      if (isFirst) give();
      bench.cancel();
      if (!isFirst) give();
      await setImmediate();
      assert.equal(bench.state, 'collecting.disarming');
      await bench.gives('disarm', undefined);
      assert.equal(bench.last('conclude').input.result, 'TRANSACTION_ALREADY_CANCEL');
      const tries = name === 'the PIN again' ? 1 : 0;
      assert.equal(bench.count('authorize'), tries);
    }
  });
}

test('a method that is not offered is not taken, whatever waits', () => {
  const bench = Bench.at('CARD', { ...anything, modes: ['CARD', 'CASH'] });
  bench.choose('OCTOPUS');
  assert.equal(bench.state, 'collecting.presenting CARD');
});

test('while it is disarmed the merchant changes his mind, back to what was as well', async () => {
  const bench = Bench.at('CARD');
  bench.choose('OCTOPUS');
  bench.choose('QR_SCAN');
  bench.choose('CARD');
  assert.equal(bench.count('disarm'), 1);
  await bench.gives('disarm', undefined);
  assert.equal(bench.state, 'collecting.presenting CARD');
  assert.equal(bench.count('collect'), 2);
});

test('while it is disarmed: a cancel, and the time-out, end it', async () => {
  for (const [end, result] of [
    [(bench: Bench) => bench.cancel(), 'TRANSACTION_ALREADY_CANCEL'],
    [(bench: Bench) => bench.clock.increment(collectTimeoutMs), 'TIMEOUT'],
  ] as const) {
    const bench = Bench.at('CARD');
    bench.choose('OCTOPUS');
    end(bench);
    assert.equal(bench.state, 'collecting.disarming');
    assert.equal(bench.running.at(-1), 'disarm');
    await bench.gives('disarm', undefined);
    assert.equal(bench.state, 'collecting.concluding');
    assert.equal(bench.last('conclude').input.result, result);
    assert.equal(bench.count('collect'), 1);
  }
});

test('a device that can not confirm: the change and the cancel go on', async () => {
  const changing = Bench.at('CARD');
  changing.choose('OCTOPUS');
  await changing.fails('disarm', new DeviceError('vanished', 'gone'));
  assert.equal(changing.state, 'collecting.presenting OCTOPUS');
  const cancelling = Bench.at('CARD');
  cancelling.cancel();
  await cancelling.fails('disarm', new DeviceError('vanished', 'gone'));
  assert.equal(cancelling.state, 'collecting.concluding');
});

test('a change of method does not give more time', async () => {
  const bench = Bench.at('CARD');
  bench.clock.increment(collectTimeoutMs - 1);
  bench.choose('OCTOPUS');
  await bench.gives('disarm', undefined);
  assert.equal(bench.state, 'collecting.presenting OCTOPUS');
  bench.clock.increment(1);
  assert.equal(bench.state, 'collecting.disarming');
  assert.equal(bench.conclusion?.result, 'TIMEOUT');
});

test('the end of collecting can not be written: over all the same, with its own outcome', async () => {
  const bench = Bench.at('CARD');
  bench.clock.increment(collectTimeoutMs);
  await bench.gives('disarm', undefined);
  await bench.fails('conclude');
  assert.equal(bench.state, 'error');
  assert.equal(bench.conclusion?.result, 'TIMEOUT');
});

test('a reader that throws: error', async () => {
  const machine = transactionMachine.provide({
    actors: {
      collect: fromPromise<Collecting, CollectMode | undefined>(() => {
        throw new Error('a defect');
      }),
      conclude: fromPromise<void, Conclusion>(() => Promise.resolve()),
    },
  });
  const actor = createActor(machine, { input: { ...anything, start: 'CARD' } }).start();
  actor.send({ type: 'START' });
  await toPromise(actor);
  assert.equal(actor.getSnapshot().value, 'error');
});

test('a cancel before the start is not remembered: whoever starts says it again', () => {
  const bench = new Bench({ ...anything, start: 'CARD' });
  bench.cancel();
  bench.choose('CASH');
  bench.send({ type: 'START' });
  assert.equal(bench.state, 'collecting.presenting CARD');
  bench.cancel();
  assert.equal(bench.state, 'collecting.disarming');
});

// States that nothing from outside may change

const events: readonly TransactionEvent[] = [
  { type: 'START' },
  { type: 'CANCEL', by: 'pos' },
  ...everyMode.map((mode) => ({ type: 'CHOOSE', mode }) as const),
  { type: 'WALLET', scheme: 'WECHAT' },
  given,
];

async function atHost(): Promise<Bench> {
  const bench = Bench.at('CARD');
  await bench.gives('collect', plain);
  return bench;
}

async function after(authorization: Parameters<Bench['gives']>[1]): Promise<Bench> {
  const bench = await atHost();
  await bench.gives('authorize', authorization as never);
  return bench;
}

const deaf: Readonly<Record<string, () => Promise<Bench>>> = {
  'collecting.concluding': async () => {
    const bench = Bench.at('CARD');
    await bench.gives('collect', ends({ kind: 'timeout' }));
    return bench;
  },
  'authorizing.atHost': atHost,
  'authorizing.completingCard': () => after({ kind: 'card' }),
  'authorizing.reversing': () => after(unknown),
  'authorizing.concluding': async () => {
    const bench = await after(unknown);
    await bench.gives('reverse', undefined);
    return bench;
  },
  approved: () => after(approved),
  declined: () => after(declined),
  error: () => after(notSent),
};

for (const [state, way] of Object.entries(deaf)) {
  test(`nothing from outside changes ${state}, and what runs there goes on`, async () => {
    const bench = await way();
    const { conclusion, running } = bench;
    const calls = bench.calls.length;
    for (const event of events) bench.send(event);
    bench.clock.increment(collectTimeoutMs + walletTimeoutMs);
    await setImmediate();
    assert.equal(bench.state, state);
    assert.deepEqual(bench.conclusion, conclusion);
    assert.deepEqual(bench.running, running);
    assert.equal(bench.calls.length, calls);
  });
}
