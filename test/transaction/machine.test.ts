import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, test } from 'node:test';
import { type ActorRefFrom, createActor, fromPromise, SimulatedClock, toPromise } from 'xstate';
import type { Amount } from '../../src/domain/amount.ts';
import type { CollectOutcome, PresentedCard } from '../../src/ports/card-reader.ts';
import { DeviceError } from '../../src/ports/device.ts';
import type { Conclusion } from '../../src/ports/journal.ts';
import { concluded, failure } from '../../src/transaction/decide.ts';
import { type Authorization, transactionMachine } from '../../src/transaction/machine.ts';

const collectTimeoutMs = 120_000;
const amount: Amount = { minor: 3000n, currency: 'HKD' };
const card: PresentedCard = {
  entryMode: 'CONTACTLESS',
  aid: 'A0000000031010',
  appName: 'VISA CREDIT',
  maskedPan: '476173******0119',
  emv: new Map(),
  encrypted: { scheme: 'TDES-DUKPT', ksn: new Uint8Array(10), track2: new Uint8Array(24), pan: new Uint8Array(16) },
};
const approved: Authorization = {
  kind: 'concluded',
  conclusion: concluded({
    kind: 'approved',
    responseCode: '00',
    approvalCode: '123456',
    rrn: '000000000001',
    hostTime: '120000',
    hostDate: '0101',
  }),
};
const declined: Authorization = {
  kind: 'concluded',
  conclusion: concluded({ kind: 'declined', responseCode: '51', rrn: '000000000001' }),
};
const notSent: Authorization = { kind: 'concluded', conclusion: concluded({ kind: 'notSent', reason: 'host-down' }) };
const unknown: Authorization = { kind: 'unknown', conclusion: concluded({ kind: 'unknown', reason: 'no-answer' }) };

/** One invocation of an actor: what it was given, and the test's way to end it. */
interface Call<Input, Output> {
  readonly input: Input;
  readonly signal: AbortSignal;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** The machine on a simulated clock, with actors that do what the test says, when it says so. */
class Bench {
  readonly clock = new SimulatedClock();
  readonly collects: Call<Amount, CollectOutcome>[] = [];
  readonly disarms: Call<unknown, void>[] = [];
  readonly authorizations: Call<PresentedCard | undefined, Authorization>[] = [];
  readonly reversals: Call<unknown, void>[] = [];
  readonly conclusions: Call<Conclusion, void>[] = [];
  readonly states: string[] = [];
  readonly actor: ActorRefFrom<typeof transactionMachine>;

  constructor(presentsCard = true) {
    const machine = transactionMachine.provide({
      actors: {
        collectCard: scripted(this.collects),
        disarm: scripted(this.disarms),
        authorize: scripted(this.authorizations),
        reverse: scripted(this.reversals),
        conclude: scripted(this.conclusions),
      },
    });
    this.actor = createActor(machine, { input: { amount, collectTimeoutMs, presentsCard }, clock: this.clock });
    this.actor.subscribe({
      next: ({ value }) => {
        const state = typeof value === 'string' ? value : Object.entries(value).map((pair) => pair.join('.'))[0];
        if (state && state !== this.states.at(-1)) this.states.push(state);
      },
      error: () => undefined,
    });
    this.actor.start();
  }

  get state(): string {
    return this.states.at(-1) ?? '';
  }

  get conclusion(): Conclusion | undefined {
    return this.actor.getSnapshot().context.conclusion;
  }

  start(): void {
    this.actor.send({ type: 'START' });
  }

  cancel(by: 'pos' | 'merchant' | 'customer' = 'pos'): void {
    this.actor.send({ type: 'CANCEL', by });
  }

  async collected(outcome: CollectOutcome): Promise<void> {
    last(this.collects).resolve(outcome);
    await setImmediate();
  }

  async disarmed(): Promise<void> {
    last(this.disarms).resolve();
    await setImmediate();
  }

  async authorized(authorization: Authorization): Promise<void> {
    last(this.authorizations).resolve(authorization);
    await setImmediate();
  }

  async reversed(): Promise<void> {
    last(this.reversals).resolve();
    await setImmediate();
  }

  async written(): Promise<void> {
    last(this.conclusions).resolve();
    await setImmediate();
  }

  async failed(calls: readonly { reject(error: unknown): void }[], error: unknown): Promise<void> {
    const call = calls.at(-1) ?? assert.fail('the actor was not invoked');
    call.reject(error);
    await setImmediate();
  }
}

function scripted<Input, Output>(calls: Call<Input, Output>[]) {
  return fromPromise<Output, Input>(
    ({ input, signal }) =>
      new Promise((resolve, reject) => {
        calls.push({ input, signal, resolve, reject });
      }),
  );
}

function last<Input, Output>(calls: readonly Call<Input, Output>[]): Call<Input, Output> {
  return calls.at(-1) ?? assert.fail('the actor was not invoked');
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => {
  bench.actor.stop();
});

test('the machine alone provides no actor: it ends in an error, sends nothing and rejects nothing', async () => {
  const actor = createActor(transactionMachine, { input: { amount, collectTimeoutMs, presentsCard: true } });
  actor.start();
  actor.send({ type: 'START' });
  await toPromise(actor);
  assert.equal(actor.getSnapshot().value, 'error');
  assert.equal(actor.getSnapshot().context.conclusion?.result, 'ERROR');
});

test('approved', async () => {
  bench.start();
  assert.deepEqual(last(bench.collects).input, amount);
  await bench.collected({ kind: 'card', card });
  assert.equal(last(bench.authorizations).input, card);
  await bench.authorized(approved);
  assert.deepEqual(bench.states, ['idle', 'collecting.presentingCard', 'authorizing.atHost', 'approved']);
  assert.deepEqual(bench.conclusion, approved.conclusion);
  assert.deepEqual([bench.disarms.length, bench.reversals.length, bench.conclusions.length], [0, 0, 0]);
});

for (const [name, authorization, end] of [
  ['declined', declined, 'declined'],
  ['not sent', notSent, 'error'],
] as const) {
  test(name, async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(authorization);
    assert.deepEqual(bench.states.slice(-2), ['authorizing.atHost', end]);
    assert.deepEqual(bench.conclusion, authorization.conclusion);
    assert.equal(bench.conclusions.length, 0, 'authorize has written it');
  });
}

test('unknown: reversing, then the conclusion is written, then error', async () => {
  bench.start();
  await bench.collected({ kind: 'card', card });
  await bench.authorized(unknown);
  assert.equal(bench.state, 'authorizing.reversing');
  assert.equal(bench.conclusions.length, 0);
  await bench.reversed();
  assert.equal(bench.state, 'authorizing.concluding');
  assert.deepEqual(last(bench.conclusions).input, unknown.conclusion);
  await bench.written();
  assert.equal(bench.state, 'error');
});

test('unknown is an error even where its conclusion says otherwise', async () => {
  bench.start();
  await bench.collected({ kind: 'card', card });
  await bench.authorized({ kind: 'unknown', conclusion: failure('DATABASE_ERROR', 'the answer could not be written') });
  await bench.failed(bench.reversals, new Error('the journal'));
  assert.equal(bench.state, 'authorizing.concluding', 'a reversal that failed is still concluded');
  await bench.failed(bench.conclusions, new Error('the journal'));
  assert.equal(bench.state, 'error');
});

test('no card is kept in the context', async () => {
  bench.start();
  await bench.collected({ kind: 'card', card });
  assert.deepEqual(Object.keys(bench.actor.getSnapshot().context).sort(), [
    'amount',
    'collectTimeoutMs',
    'presentsCard',
  ]);
});

test('tryAgain arms the reader again, says why, and the time-out goes on', async () => {
  bench.start();
  bench.clock.increment(collectTimeoutMs / 2);
  for (const reason of ['collision', 'card-lost', 'read-error'] as const) {
    const before = bench.collects.length;
    await bench.collected({ kind: 'tryAgain', reason });
    assert.equal(bench.collects.length, before + 1);
    assert.equal(bench.state, 'collecting.presentingCard');
    assert.equal(bench.actor.getSnapshot().context.retryReason, reason);
  }
  bench.clock.increment(collectTimeoutMs / 2 - 1);
  assert.equal(bench.state, 'collecting.presentingCard');
  bench.clock.increment(1);
  assert.equal(bench.state, 'collecting.disarming');
  assert.equal(bench.conclusion?.result, 'TIMEOUT');
});

test('time-out: the reader is disarmed first, then it is written, then it is over', async () => {
  bench.start();
  const { signal } = last(bench.collects);
  bench.clock.increment(collectTimeoutMs - 1);
  assert.equal(signal.aborted, false);
  bench.clock.increment(1);
  assert.equal(signal.aborted, true);
  assert.equal(bench.state, 'collecting.disarming');
  assert.equal(bench.conclusions.length, 0);
  await bench.disarmed();
  assert.equal(bench.state, 'collecting.concluding');
  assert.equal(last(bench.conclusions).input.result, 'TIMEOUT');
  await bench.written();
  assert.equal(bench.state, 'error');
});

test("the reader's own time-out ends collecting as well", async () => {
  bench.start();
  await bench.collected({ kind: 'timeout' });
  assert.equal(bench.state, 'collecting.concluding');
  assert.equal(last(bench.conclusions).input.result, 'TIMEOUT');
  assert.equal(bench.disarms.length, 0);
});

for (const by of ['pos', 'merchant', 'customer'] as const) {
  test(`cancelled by ${by}: the reader is disarmed first`, async () => {
    bench.start();
    bench.cancel(by);
    assert.equal(last(bench.collects).signal.aborted, true);
    assert.equal(bench.state, 'collecting.disarming');
    await bench.disarmed();
    await bench.written();
    assert.equal(bench.state, 'error');
    assert.equal(bench.conclusion?.result, 'TRANSACTION_ALREADY_CANCEL');
    assert.match(bench.conclusion.message, new RegExp(by, 'i'));
  });
}

test("the reader's cancel key counts as the customer's", async () => {
  bench.start();
  await bench.collected({ kind: 'cancelled' });
  assert.equal(last(bench.conclusions).input.result, 'TRANSACTION_ALREADY_CANCEL');
  assert.match(last(bench.conclusions).input.message, /customer/);
});

for (const reason of ['unsupported', 'expired', 'blocked', 'over-limit', 'declined'] as const) {
  test(`a card refused as ${reason}: declined`, async () => {
    bench.start();
    await bench.collected({ kind: 'refused', reason });
    assert.equal(last(bench.conclusions).input.result, 'DECLINED');
    await bench.written();
    assert.equal(bench.state, 'declined');
  });
}

test('a reader that fails: error with its code, a reader that throws: error', async () => {
  bench.start();
  await bench.failed(bench.collects, new DeviceError('vanished', 'gone'));
  assert.match(last(bench.conclusions).input.message, /vanished/);
  await bench.written();
  assert.equal(bench.state, 'error');

  const throwing = createActor(
    transactionMachine.provide({
      actors: {
        collectCard: fromPromise<CollectOutcome, Amount>(() => {
          throw new Error('a defect');
        }),
        conclude: fromPromise<void, Conclusion>(() => Promise.resolve()),
      },
    }),
    { input: { amount, collectTimeoutMs, presentsCard: true } },
  ).start();
  throwing.send({ type: 'START' });
  await toPromise(throwing);
  assert.equal(throwing.getSnapshot().value, 'error');
});

test('a reader that fails to confirm the cancel: it is concluded all the same', async () => {
  bench.start();
  bench.cancel();
  await bench.failed(bench.disarms, new DeviceError('vanished', 'gone'));
  assert.equal(bench.state, 'collecting.concluding');
  assert.equal(last(bench.conclusions).input.result, 'TRANSACTION_ALREADY_CANCEL');
});

test('the end of collecting can not be written: it is over all the same, with its own outcome', async () => {
  bench.start();
  bench.clock.increment(collectTimeoutMs);
  await bench.disarmed();
  await bench.failed(bench.conclusions, new Error('the journal'));
  assert.equal(bench.state, 'error');
  assert.equal(bench.conclusion?.result, 'TIMEOUT');
});

test('the intent can not be written: nothing was sent', async () => {
  bench.start();
  await bench.collected({ kind: 'card', card });
  await bench.failed(bench.authorizations, new Error('the journal'));
  assert.equal(bench.state, 'error');
  assert.equal(bench.conclusion?.result, 'DATABASE_ERROR');
  assert.equal(bench.reversals.length, 0);
});

test('a card that arrives after the cancel, in the same turn: cancelled, nothing is authorized', async () => {
  bench.start();
  bench.cancel();
  await bench.collected({ kind: 'card', card });
  await bench.disarmed();
  await bench.written();
  assert.equal(bench.authorizations.length, 0);
  assert.equal(bench.conclusion?.result, 'TRANSACTION_ALREADY_CANCEL');
});

test('a cancel that arrives while the card is on its way here, in the same turn: cancelled', async () => {
  bench.start();
  last(bench.collects).resolve({ kind: 'card', card });
  bench.cancel();
  await setImmediate();
  assert.equal(bench.state, 'collecting.disarming');
  assert.equal(bench.authorizations.length, 0);
});

test('a card that arrives with the time-out: whichever is first counts, and only that', async () => {
  bench.start();
  last(bench.collects).resolve({ kind: 'card', card });
  bench.clock.increment(collectTimeoutMs);
  await setImmediate();
  assert.equal(bench.state, 'collecting.disarming');
  assert.equal(bench.authorizations.length, 0);

  const other = new Bench();
  other.start();
  await other.collected({ kind: 'card', card });
  other.clock.increment(collectTimeoutMs);
  assert.equal(other.state, 'authorizing.atHost');
  assert.equal(other.conclusion, undefined);
  other.actor.stop();
});

/** Each way to a state in which a cancel must change nothing. */
const deaf: Readonly<Record<string, () => Promise<void>>> = {
  idle: async () => undefined,
  'collecting.disarming': async () => {
    bench.start();
    bench.clock.increment(collectTimeoutMs);
  },
  'collecting.concluding': async () => {
    bench.start();
    await bench.collected({ kind: 'timeout' });
  },
  'authorizing.atHost': async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
  },
  'authorizing.reversing': async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(unknown);
  },
  'authorizing.concluding': async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(unknown);
    await bench.reversed();
  },
  approved: async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(approved);
  },
  declined: async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(declined);
  },
  error: async () => {
    bench.start();
    await bench.collected({ kind: 'card', card });
    await bench.authorized(notSent);
  },
};

for (const [state, way] of Object.entries(deaf)) {
  test(`a cancel, a start and the time-out change nothing in ${state}`, async () => {
    await way();
    assert.equal(bench.state, state);
    const { conclusion } = bench;
    bench.cancel();
    if (state !== 'idle') bench.start();
    bench.clock.increment(collectTimeoutMs);
    await setImmediate();
    assert.equal(bench.state, state);
    assert.deepEqual(bench.conclusion, conclusion);
    const signals = [...bench.authorizations, ...bench.reversals, ...bench.conclusions].map(({ signal }) => signal);
    if (!['approved', 'declined', 'error'].includes(state)) {
      assert.ok(
        signals.every((signal) => !signal.aborted || state.endsWith('concluding') || state.endsWith('reversing')),
      );
      assert.equal(signals.at(-1)?.aborted ?? false, false, 'what runs goes on');
    }
  });
}

test('a cancel before the start is not remembered: whoever starts says it again', async () => {
  bench.cancel();
  bench.start();
  assert.equal(bench.state, 'collecting.presentingCard');
  bench.cancel();
  assert.equal(bench.state, 'collecting.disarming');
});

test('cancelled, and the time-out comes before the reader has confirmed: told as cancelled', async () => {
  bench.start();
  bench.clock.increment(collectTimeoutMs - 1);
  bench.cancel('customer');
  bench.clock.increment(1);
  assert.equal(bench.state, 'collecting.disarming');
  await bench.disarmed();
  assert.equal(last(bench.conclusions).input.result, 'TRANSACTION_ALREADY_CANCEL');
});

test('two cancels: the first one is told', async () => {
  bench.start();
  bench.cancel('merchant');
  bench.cancel('pos');
  assert.match(bench.conclusion?.message ?? '', /merchant/);
  assert.equal(bench.disarms.length, 1);
});

test('a kind without a card goes straight to the host, with no card, and a cancel there is too late', async () => {
  const without = new Bench(false);
  without.start();
  assert.deepEqual(without.states, ['idle', 'authorizing.atHost']);
  assert.equal(last(without.authorizations).input, undefined);
  without.cancel();
  without.clock.increment(collectTimeoutMs);
  await setImmediate();
  assert.equal(without.state, 'authorizing.atHost');
  assert.equal(last(without.authorizations).signal.aborted, false);
  await without.authorized(approved);
  assert.equal(without.state, 'approved');
  assert.deepEqual([without.collects.length, without.disarms.length, without.conclusions.length], [0, 0, 0]);
});

test('a kind without a card and an unknown outcome: reversing, written, error', async () => {
  const without = new Bench(false);
  without.start();
  await without.authorized(unknown);
  assert.equal(without.state, 'authorizing.reversing');
  await without.reversed();
  await without.written();
  assert.equal(without.state, 'error');
  assert.deepEqual(without.conclusion, unknown.conclusion);
});
