import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { createActor, toPromise } from 'xstate';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import {
  type Collecting,
  type TransactionActors,
  type TransactionEvent,
  transactionMachine,
} from '../../../src/payment/transaction/machine.ts';
import {
  type ActorName,
  anything,
  approved,
  Stage,
  byReference,
  collectTimeoutMs,
  declined,
  ends,
  everyMode,
  notSent,
  unknown,
  walletTimeoutMs,
} from './machine-stage.ts';

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

test('every actor fails: it ends in an error, sends nothing and rejects nothing', async () => {
  const actors = new Proxy({} as TransactionActors, { get: () => () => Promise.reject(new Error('a defect')) });
  const actor = createActor(transactionMachine, { input: { ...anything, actors, start: 'CARD' } });
  actor.start();
  actor.send({ type: 'START' });
  await toPromise(actor);
  assert.equal(actor.getSnapshot().value, 'error');
  assert.equal(actor.getSnapshot().context.conclusion?.result, 'ERROR');
});

for (const mode of everyMode) {
  test(`${mode}: it starts there, with one thing armed`, () => {
    const stage = Stage.at(mode);
    const { state, actor } = starts[mode];
    assert.equal(stage.state, state);
    assert.deepEqual(stage.running, [actor]);
    if (actor === 'collect') assert.equal(stage.last('collect').input, mode);
    if (actor === 'askCode') assert.deepEqual(stage.last('askCode').input, { mode, scheme: 'ALIPAY' });
  });
}

test('with no start the merchant chooses, while the reader takes any card', async () => {
  const stage = Stage.at(undefined);
  assert.equal(stage.state, 'collecting.choosingMethod');
  assert.equal(stage.last('collect').input, undefined);
  await stage.gives('collect', plain);
  assert.equal(stage.state, 'authorizing.atHost');
  assert.equal(stage.actor.getSnapshot().context.mode, 'CARD');
});

test('with no mode it goes straight to the host, and a cancel there is too late', async () => {
  const stage = Stage.at(undefined, byReference);
  assert.equal(stage.state, 'authorizing.atHost');
  stage.cancel();
  stage.clock.increment(collectTimeoutMs + walletTimeoutMs);
  assert.deepEqual(stage.running, ['authorize']);
  await stage.gives('authorize', approved);
  assert.equal(stage.state, 'approved');
  assert.deepEqual(
    stage.calls.map(({ name }) => name),
    ['authorize'],
  );
});

for (const [name, authorization, end] of [
  ['approved', approved, 'approved'],
  ['declined', declined, 'declined'],
  ['not sent', notSent, 'error'],
] as const) {
  test(`${name}: nothing is written or disarmed again`, async () => {
    const stage = Stage.at('CARD');
    await stage.gives('collect', plain);
    await stage.gives('authorize', authorization);
    assert.deepEqual(stage.states, ['idle', 'collecting.presenting CARD', 'authorizing.atHost', end]);
    assert.deepEqual(stage.conclusion, authorization.conclusion);
    assert.deepEqual(
      stage.calls.map((call) => call.name),
      ['collect', 'authorize'],
    );
  });
}

test('unknown: reversing, then the conclusion is written, then error', async () => {
  const stage = Stage.at('CARD');
  await stage.gives('collect', plain);
  await stage.gives('authorize', unknown);
  assert.equal(stage.state, 'authorizing.reversing');
  assert.equal(stage.count('conclude'), 0);
  await stage.gives('reverse', undefined);
  assert.equal(stage.state, 'authorizing.concluding');
  assert.deepEqual(stage.last('conclude').input, unknown.conclusion);
  await stage.gives('conclude', undefined);
  assert.equal(stage.state, 'error');
});

test('a reversal and a conclusion that fail: over all the same, with its own outcome', async () => {
  const stage = Stage.at('CARD');
  await stage.gives('collect', plain);
  const unwritten = failure('DATABASE_ERROR', 'answerNotWritten', 'the answer could not be written');
  await stage.gives('authorize', { kind: 'unknown', conclusion: unwritten });
  await stage.fails('reverse');
  assert.equal(stage.state, 'authorizing.concluding');
  await stage.fails('conclude');
  assert.equal(stage.state, 'error');
  assert.deepEqual(stage.conclusion, unwritten);
});

test('the intent can not be written: nothing was sent, nothing is reversed', async () => {
  const stage = Stage.at('CARD');
  await stage.gives('collect', plain);
  await stage.fails('authorize');
  assert.equal(stage.state, 'error');
  assert.equal(stage.conclusion?.result, 'DATABASE_ERROR');
  assert.equal(stage.count('reverse'), 0);
});

test('nothing that was collected is in the context', async () => {
  const stage = Stage.at('EPS');
  await stage.gives('collect', { kind: 'collected', asks: 'account' });
  stage.send({ type: 'GIVEN', answer: { kind: 'collected', asks: 'pin' } });
  await stage.gives('ask', { kind: 'collected' });
  const { amount: _amount, ...context } = stage.actor.getSnapshot().context;
  assert.doesNotMatch(JSON.stringify(context), /track|block|pan|ksn/i);
});

// A card and what it asks

for (const start of ['CARD', 'EPS', 'QR_SCAN', 'OCTOPUS', undefined] as const) {
  test(`nothing that can pay, ${start ?? 'any method'}: armed again with a hint, and the time-out goes on`, async () => {
    const stage = Stage.at(start);
    const { state } = stage;
    stage.clock.increment(collectTimeoutMs / 2);
    await stage.gives('collect', { kind: 'again', hint: 'holdCard' });
    assert.equal(stage.state, state);
    assert.deepEqual(stage.running, ['collect']);
    assert.equal(stage.last('collect').input, start);
    assert.equal(stage.hint, 'holdCard');
    stage.clock.increment(collectTimeoutMs / 2);
    assert.equal(stage.state, 'collecting.disarming');
    assert.equal(stage.conclusion?.result, 'TIMEOUT');
  });
}

for (const start of ['CARD', undefined] as const) {
  test(`a device that collects again by itself, ${start ?? 'any method'}: a hint, and nothing is begun anew`, async () => {
    const stage = Stage.at(start);
    const { state } = stage;
    const begun = stage.last('collect');
    stage.send({ type: 'HINT', hint: 'holdCard' });
    await setImmediate();
    assert.equal(stage.state, state);
    assert.equal(stage.hint, 'holdCard');
    assert.equal(stage.last('collect'), begun);
    stage.clock.increment(collectTimeoutMs);
    stage.send({ type: 'HINT', hint: 'presentAgain' });
    assert.equal(stage.state, 'collecting.disarming');
    assert.equal(stage.hint, 'holdCard', 'nobody presents anything any more');
    assert.equal(stage.conclusion?.result, 'TIMEOUT');
  });
}

for (const start of ['CARD', undefined] as const) {
  for (const [failure, result, by] of [
    [{ kind: 'timeout' }, 'TIMEOUT', /time/],
    [{ kind: 'cancelled', by: 'customer' }, 'TRANSACTION_ALREADY_CANCEL', /customer/],
    [{ kind: 'refused', reason: 'expiredCard', why: 'expired' }, 'DECLINED', /expired/],
  ] as const) {
    test(`collecting ends with ${failure.kind}, ${start ?? 'any method'}: written, then over`, async () => {
      const stage = Stage.at(start);
      await stage.gives('collect', ends(failure));
      assert.equal(stage.state, 'collecting.concluding');
      assert.equal(stage.last('conclude').input.result, result);
      assert.match(stage.last('conclude').input.message, by);
      assert.equal(stage.count('disarm'), 0, 'it is disarmed already');
      await stage.gives('conclude', undefined);
      assert.equal(stage.state, result === 'DECLINED' ? 'declined' : 'error');
    });
  }
}

test('a PIN: entered once, wrong once, right then', async () => {
  const stage = Stage.at('CARD');
  await stage.gives('collect', { kind: 'collected', asks: 'pin' });
  assert.equal(stage.state, 'collecting.asking pin');
  assert.deepEqual(stage.last('ask').input, { mode: 'CARD', asks: 'pin', again: false });
  await stage.gives('ask', { kind: 'collected' });
  assert.equal(stage.state, 'authorizing.atHost');
  await stage.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  assert.equal(stage.state, 'collecting.asking pin');
  assert.equal(stage.hint, 'wrongPin');
  assert.deepEqual(stage.last('ask').input, { mode: 'CARD', asks: 'pin', again: true });
  await stage.gives('ask', { kind: 'collected' });
  assert.equal(stage.hint, undefined, 'nobody says that this one is wrong');
  await stage.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  assert.deepEqual(stage.last('ask').input, { mode: 'CARD', asks: 'pin', again: true });
  await stage.gives('ask', { kind: 'collected' });
  await stage.gives('authorize', approved);
  assert.equal(stage.state, 'approved');
  assert.equal(stage.count('collect'), 1);
});

test('an account, answered on the screen, then its PIN', async () => {
  const stage = Stage.at('EPS');
  await stage.gives('collect', { kind: 'collected', asks: 'account' });
  assert.equal(stage.state, 'collecting.asking account');
  assert.deepEqual(stage.last('ask').input, { mode: 'EPS', asks: 'account', again: false });
  stage.send({ type: 'GIVEN', answer: { kind: 'collected', asks: 'pin' } });
  assert.equal(stage.state, 'collecting.asking pin');
});

for (const [kind, result] of [
  ['cancelled', 'TRANSACTION_ALREADY_CANCEL'],
  ['timeout', 'TIMEOUT'],
] as const) {
  test(`the PIN pad says ${kind}, also after a wrong PIN`, async () => {
    for (const tries of [0, 1]) {
      const stage = Stage.at('CARD');
      await stage.gives('collect', { kind: 'collected', asks: 'pin' });
      if (tries > 0) {
        await stage.gives('ask', { kind: 'collected' });
        await stage.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
      }
      await stage.gives('ask', ends(kind === 'timeout' ? { kind } : { kind, by: 'customer' }));
      assert.equal(stage.state, 'collecting.concluding');
      assert.equal(stage.last('conclude').input.result, result);
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
    const stage = Stage.at('CARD');
    await stage.gives('collect', plain);
    await stage.gives('authorize', { kind: 'card' });
    stage.cancel();
    stage.clock.increment(collectTimeoutMs + walletTimeoutMs);
    assert.deepEqual(stage.running, ['completeCard']);
    await stage.gives('completeCard', output);
    if (output.kind === 'unknown') {
      await stage.gives('reverse', undefined);
      await stage.gives('conclude', undefined);
    }
    assert.deepEqual(stage.states.slice(-states.length), [...states]);
  }
});

test('what the chip said can not be written: reversed', async () => {
  const stage = Stage.at('CARD');
  await stage.gives('collect', plain);
  await stage.gives('authorize', { kind: 'card' });
  await stage.fails('completeCard');
  assert.equal(stage.state, 'authorizing.reversing');
  assert.equal(stage.conclusion?.result, 'DATABASE_ERROR');
  assert.doesNotMatch(stage.conclusion?.message ?? '', /not sent/);
});

// What the screen gives, and what is to be presented once more

test('what was collected on the screen goes on at once, and once', async () => {
  const stage = Stage.at('CASH');
  stage.send(given);
  assert.equal(stage.state, 'authorizing.atHost');
  stage.send(given);
  assert.equal(stage.count('authorize'), 1);
});

test('a charge that came to nothing: presented again with its hint, and the merchant may change', async () => {
  const stage = Stage.at('OCTOPUS');
  await stage.gives('collect', plain);
  assert.equal(stage.hint, undefined);
  await stage.gives('authorize', { kind: 'again', hint: 'presentAgain' });
  assert.equal(stage.state, 'collecting.presenting OCTOPUS');
  assert.equal(stage.hint, 'presentAgain');
  stage.choose('CASH');
  await stage.gives('disarm', undefined);
  assert.equal(stage.state, 'collecting.presenting CASH');
  assert.equal(stage.hint, undefined);
});

// Every way out of every state that collects by a device

type Way = readonly [name: string, state: string, actor: 'collect' | 'ask', way: () => Promise<Stage> | Stage];

const ways: readonly Way[] = [
  ['any method', 'choosingMethod', 'collect', () => Stage.at(undefined)],
  ['a card', 'presenting CARD', 'collect', () => Stage.at('CARD')],
  ['a card of EPS', 'presenting EPS', 'collect', () => Stage.at('EPS')],
  ['a code', 'presenting QR_SCAN', 'collect', () => Stage.at('QR_SCAN')],
  ['Octopus', 'presenting OCTOPUS', 'collect', () => Stage.at('OCTOPUS')],
  ['cash', 'presenting CASH', 'collect', () => Stage.at('CASH')],
  [
    'the account',
    'asking account',
    'ask',
    async () => {
      const stage = Stage.at('EPS');
      await stage.gives('collect', { kind: 'collected', asks: 'account' });
      return stage;
    },
  ],
  [
    'the PIN',
    'asking pin',
    'ask',
    async () => {
      const stage = Stage.at('CARD');
      await stage.gives('collect', { kind: 'collected', asks: 'pin' });
      return stage;
    },
  ],
  [
    'the PIN again',
    'asking pin',
    'ask',
    async () => {
      const stage = Stage.at('CARD');
      await stage.gives('collect', { kind: 'collected', asks: 'pin' });
      await stage.gives('ask', { kind: 'collected' });
      await stage.gives('authorize', { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
      return stage;
    },
  ],
];

for (const [name, state, actor, way] of ways) {
  test(`while ${name} is waited for: time-out, disarmed, written, over`, async () => {
    const stage = await way();
    assert.equal(stage.state, `collecting.${state}`);
    stage.clock.increment(collectTimeoutMs - 1);
    assert.equal(stage.state, `collecting.${state}`);
    stage.clock.increment(1);
    assert.equal(stage.state, 'collecting.disarming');
    assert.deepEqual(stage.running, ['disarm']);
    await stage.gives('disarm', undefined);
    assert.equal(stage.state, 'collecting.concluding');
    assert.equal(stage.last('conclude').input.result, 'TIMEOUT');
    await stage.gives('conclude', undefined);
    assert.equal(stage.state, 'error');
    assert.deepEqual(stage.running, []);
  });

  for (const by of ['pos', 'merchant', 'customer', 'restart'] as const) {
    test(`while ${name} is waited for: cancelled by ${by}, disarmed, written, over`, async () => {
      const stage = await way();
      stage.cancel(by);
      assert.equal(stage.state, 'collecting.disarming');
      assert.deepEqual(stage.running, ['disarm']);
      // Too late for any of this.
      stage.cancel(by === 'pos' ? 'merchant' : 'pos');
      stage.choose('CASH');
      stage.clock.increment(collectTimeoutMs);
      await stage.gives('disarm', undefined);
      const { result, message } = stage.last('conclude').input;
      assert.equal(result, 'TRANSACTION_ALREADY_CANCEL');
      assert.match(message, new RegExp(by, 'i'));
      await stage.gives('conclude', undefined);
      assert.equal(stage.state, 'error');
    });
  }

  test(`while ${name} is waited for: the merchant changes to anything else, nothing armed before it is disarmed`, async () => {
    for (const mode of everyMode) {
      const stage = await way();
      if (stage.actor.getSnapshot().context.mode === mode) continue;
      stage.choose(mode);
      assert.equal(stage.state, 'collecting.disarming');
      assert.deepEqual(stage.running, ['disarm']);
      await stage.gives('disarm', undefined);
      assert.equal(stage.state, starts[mode].state);
      assert.deepEqual(stage.running, [starts[mode].actor]);
      assert.ok(!stage.states.some((each) => each.includes(' beside ')), stage.states.join());
      assert.equal(stage.hint, undefined);
    }
  });

  test(`while ${name} is waited for: the same again, one that is not offered and a wallet change nothing`, async () => {
    const stage = await way();
    const { mode } = stage.actor.getSnapshot().context;
    if (mode) stage.choose(mode);
    stage.send({ type: 'WALLET', scheme: 'WECHAT' });
    stage.send({ type: 'START' });
    assert.equal(stage.state, `collecting.${state}`);
    assert.deepEqual(stage.running, [actor]);
  });

  test(`while ${name} is waited for: what waits fails, told with its code`, async () => {
    const stage = await way();
    await stage.fails(actor, new DeviceError('vanished', 'gone'));
    assert.equal(stage.state, 'collecting.concluding');
    const { message, result } = stage.last('conclude').input;
    assert.equal(result, 'ERROR');
    assert.equal(message, 'the payment could not be collected (vanished)');
  });

  test(`while ${name} is waited for: what crosses with the cancel is not charged`, async () => {
    for (const isFirst of [true, false]) {
      const stage = await way();
      const give = () => stage.last(actor).settle.resolve(plain);
      if (isFirst) give();
      stage.cancel();
      if (!isFirst) give();
      await setImmediate();
      assert.equal(stage.state, 'collecting.disarming');
      await stage.gives('disarm', undefined);
      assert.equal(stage.last('conclude').input.result, 'TRANSACTION_ALREADY_CANCEL');
      const tries = name === 'the PIN again' ? 1 : 0;
      assert.equal(stage.count('authorize'), tries);
    }
  });
}

test('a method that is not offered is not taken, whatever waits', () => {
  const stage = Stage.at('CARD', { ...anything, modes: ['CARD', 'CASH'] });
  stage.choose('OCTOPUS');
  assert.equal(stage.state, 'collecting.presenting CARD');
});

test('while it is disarmed the merchant changes his mind, back to what was as well', async () => {
  const stage = Stage.at('CARD');
  stage.choose('OCTOPUS');
  stage.choose('QR_SCAN');
  stage.choose('CARD');
  assert.equal(stage.count('disarm'), 1);
  await stage.gives('disarm', undefined);
  assert.equal(stage.state, 'collecting.presenting CARD');
  assert.equal(stage.count('collect'), 2);
});

test('while it is disarmed: a cancel, and the time-out, end it', async () => {
  for (const [end, result] of [
    [(stage: Stage) => stage.cancel(), 'TRANSACTION_ALREADY_CANCEL'],
    [(stage: Stage) => stage.clock.increment(collectTimeoutMs), 'TIMEOUT'],
  ] as const) {
    const stage = Stage.at('CARD');
    stage.choose('OCTOPUS');
    end(stage);
    assert.equal(stage.state, 'collecting.disarming');
    assert.equal(stage.running.at(-1), 'disarm');
    await stage.gives('disarm', undefined);
    assert.equal(stage.state, 'collecting.concluding');
    assert.equal(stage.last('conclude').input.result, result);
    assert.equal(stage.count('collect'), 1);
  }
});

test('a device that can not confirm: the change and the cancel go on', async () => {
  const changing = Stage.at('CARD');
  changing.choose('OCTOPUS');
  await changing.fails('disarm', new DeviceError('vanished', 'gone'));
  assert.equal(changing.state, 'collecting.presenting OCTOPUS');
  const cancelling = Stage.at('CARD');
  cancelling.cancel();
  await cancelling.fails('disarm', new DeviceError('vanished', 'gone'));
  assert.equal(cancelling.state, 'collecting.concluding');
});

test('a change of method does not give more time', async () => {
  const stage = Stage.at('CARD');
  stage.clock.increment(collectTimeoutMs - 1);
  stage.choose('OCTOPUS');
  await stage.gives('disarm', undefined);
  assert.equal(stage.state, 'collecting.presenting OCTOPUS');
  stage.clock.increment(1);
  assert.equal(stage.state, 'collecting.disarming');
  assert.equal(stage.conclusion?.result, 'TIMEOUT');
});

test('the end of collecting can not be written: over all the same, with its own outcome', async () => {
  const stage = Stage.at('CARD');
  stage.clock.increment(collectTimeoutMs);
  await stage.gives('disarm', undefined);
  await stage.fails('conclude');
  assert.equal(stage.state, 'error');
  assert.equal(stage.conclusion?.result, 'TIMEOUT');
});

test('a reader that throws: error', async () => {
  const actors = {
    collect: () => {
      throw new Error('a defect');
    },
    conclude: () => Promise.resolve(),
  } as unknown as TransactionActors;
  const actor = createActor(transactionMachine, { input: { ...anything, actors, start: 'CARD' } }).start();
  actor.send({ type: 'START' });
  await toPromise(actor);
  assert.equal(actor.getSnapshot().value, 'error');
});

test('a cancel before the start is not remembered: whoever starts says it again', () => {
  const stage = new Stage({ ...anything, start: 'CARD' });
  stage.cancel();
  stage.choose('CASH');
  stage.send({ type: 'START' });
  assert.equal(stage.state, 'collecting.presenting CARD');
  stage.cancel();
  assert.equal(stage.state, 'collecting.disarming');
});

// States that nothing from outside may change

const events: readonly TransactionEvent[] = [
  { type: 'START' },
  { type: 'CANCEL', by: 'pos' },
  ...everyMode.map((mode) => ({ type: 'CHOOSE', mode }) as const),
  { type: 'WALLET', scheme: 'WECHAT' },
  given,
];

async function atHost(): Promise<Stage> {
  const stage = Stage.at('CARD');
  await stage.gives('collect', plain);
  return stage;
}

async function after(authorization: Parameters<Stage['gives']>[1]): Promise<Stage> {
  const stage = await atHost();
  await stage.gives('authorize', authorization as never);
  return stage;
}

const unresponsive: Readonly<Record<string, () => Promise<Stage>>> = {
  'collecting.concluding': async () => {
    const stage = Stage.at('CARD');
    await stage.gives('collect', ends({ kind: 'timeout' }));
    return stage;
  },
  'authorizing.atHost': atHost,
  'authorizing.completingCard': () => after({ kind: 'card' }),
  'authorizing.reversing': () => after(unknown),
  'authorizing.concluding': async () => {
    const stage = await after(unknown);
    await stage.gives('reverse', undefined);
    return stage;
  },
  approved: () => after(approved),
  declined: () => after(declined),
  error: () => after(notSent),
};

for (const [state, way] of Object.entries(unresponsive)) {
  test(`nothing from outside changes ${state}, and what runs there goes on`, async () => {
    const stage = await way();
    const { conclusion, running } = stage;
    const calls = stage.calls.length;
    for (const event of events) stage.send(event);
    stage.clock.increment(collectTimeoutMs + walletTimeoutMs);
    await setImmediate();
    assert.equal(stage.state, state);
    assert.deepEqual(stage.conclusion, conclusion);
    assert.deepEqual(stage.running, running);
    assert.equal(stage.calls.length, calls);
  });
}
