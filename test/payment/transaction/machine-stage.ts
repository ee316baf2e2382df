import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type ActorRefFrom, createActor, SimulatedClock, type SnapshotFrom, type StateValue } from 'xstate';
import type { CollectMode } from '../../../src/base/domain/payment-scheme.ts';
import type { OptionAnswer } from '../../../src/payment/options/option-question.ts';
import type { Conclusion } from '../../../src/payment/events/conclusion.ts';
import { type CollectFailure, collectConclusion, conclusionOf } from '../../../src/payment/transaction/decide.ts';
import {
  type Answered,
  type Asking,
  type Authorization,
  type Canceller,
  type CodeRequest,
  type Collecting,
  type Presentation,
  type Kept,
  type TransactionActors,
  type TransactionEvent,
  type TransactionInput,
  transactionMachine,
  type Withdrawal,
} from '../../../src/payment/transaction/machine.ts';

export const collectTimeoutMs = 120_000;
export const walletTimeoutMs = 90_000;

export const everyMode = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const satisfies CollectMode[];

/** All but the actors. */
export type Request = Omit<TransactionInput, 'actors'>;

export const anything: Request = {
  amount: { minor: 3000n, currency: 'HKD' },
  collectTimeoutMs,
  walletTimeoutMs,
  modes: everyMode,
  defaultMode: 'CARD',
  codeModes: ['QR_PRESENT'],
  wallets: ['ALIPAY', 'WECHAT'],
};

export const byReference: Request = { ...anything, modes: [], codeModes: [], wallets: [] };

/** Collecting came to nothing, by the customer's own will or without. */
export function ends(failure: CollectFailure): Extract<Answered, { kind: 'ended' }> {
  return { kind: 'ended', conclusion: collectConclusion(failure) };
}

export const approved = {
  kind: 'concluded',
  conclusion: conclusionOf({
    kind: 'approved',
    responseCode: '00',
    approvalCode: '123456',
    rrn: '000000000001',
    hostTime: '120000',
    hostDate: '0101',
  }),
} as const satisfies Authorization;
export const declined = {
  kind: 'concluded',
  conclusion: conclusionOf({ kind: 'declined', reason: 'insufficientFunds', responseCode: '51', rrn: '000000000001' }),
} as const satisfies Authorization;
export const notSent = {
  kind: 'concluded',
  conclusion: conclusionOf({ kind: 'notSent', reason: 'host-down' }),
} as const satisfies Authorization;
export const unknown = {
  kind: 'unknown',
  conclusion: conclusionOf({ kind: 'unknown', reason: 'no-answer' }),
} as const satisfies Authorization;

/** What each actor is given and what it gives. */
interface Actors {
  readonly keepAnswer: readonly [OptionAnswer | undefined, Kept];
  readonly collect: readonly [CollectMode | undefined, Collecting];
  readonly ask: readonly [Asking, Answered];
  readonly disarm: readonly [unknown, void];
  readonly askCode: readonly [CodeRequest, Presentation];
  readonly awaitPayment: readonly [unknown, Withdrawal];
  readonly withdraw: readonly [unknown, Withdrawal];
  readonly authorize: readonly [unknown, Authorization];
  readonly completeCard: readonly [unknown, Authorization];
  readonly reverse: readonly [unknown, void];
  readonly conclude: readonly [Conclusion, void];
}
export type ActorName = keyof Actors;

/** Those that hold a device armed. */
const arming: readonly ActorName[] = ['collect', 'ask'];

/** One invocation of an actor: what it was given, and the test's way to end it. */
interface Call<Name extends ActorName> {
  readonly name: Name;
  readonly input: Actors[Name][0];
  readonly signal: AbortSignal;
  readonly settle: PromiseWithResolvers<Actors[Name][1]>;
  isSettled: boolean;
}

/** The machine on a simulated clock, with actors that do what the test says, when it says so. */
export class Stage {
  readonly clock = new SimulatedClock();
  readonly calls: Call<ActorName>[] = [];
  readonly states: string[] = [];
  readonly actor: ActorRefFrom<typeof transactionMachine>;

  /** What the screen has answered: its actor waits for nothing any more. */
  #given: Call<ActorName> | undefined;

  constructor(input: Request = anything) {
    const actors: TransactionActors = {
      keepAnswer: this.#scripted('keepAnswer'),
      collect: this.#scripted('collect'),
      ask: this.#scripted('ask'),
      disarm: this.#scripted('disarm'),
      askCode: this.#scripted('askCode'),
      awaitPayment: this.#scripted('awaitPayment'),
      withdraw: this.#scripted('withdraw'),
      authorize: this.#scripted('authorize'),
      completeCard: this.#scripted('completeCard'),
      reverse: this.#scripted('reverse'),
      conclude: this.#scripted('conclude'),
    };
    this.actor = createActor(transactionMachine, { input: { ...input, actors }, clock: this.clock });
    this.actor.subscribe({
      next: (snapshot) => {
        const state = nameOf(snapshot);
        if (state !== this.states.at(-1)) this.states.push(state);
      },
      error: () => undefined,
    });
    this.actor.start();
  }

  /** Started where the request says. */
  static at(start: CollectMode | undefined, input: Request = anything): Stage {
    const stage = new Stage(start === undefined ? input : { ...input, start });
    stage.send({ type: 'START' });
    return stage;
  }

  /** Of a state that every method has, with the mode that is collected or the question that is asked. */
  get state(): string {
    return nameOf(this.actor.getSnapshot());
  }

  get conclusion(): Conclusion | undefined {
    return this.actor.getSnapshot().context.conclusion;
  }

  get hint(): string | undefined {
    return this.actor.getSnapshot().context.hint;
  }

  /** Actors that were started and neither settled nor aborted. */
  get running(): ActorName[] {
    return this.calls.filter(({ isSettled, signal }) => !isSettled && !signal.aborted).map(({ name }) => name);
  }

  send(event: TransactionEvent): void {
    if (event.type === 'GIVEN') this.#given = this.calls.findLast(({ name }) => arming.includes(name));
    this.actor.send(event);
  }

  cancel(by: Canceller = 'pos'): void {
    this.send({ type: 'CANCEL', by });
  }

  choose(mode: CollectMode): void {
    this.send({ type: 'CHOOSE', mode });
  }

  count(name: ActorName): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  last<Name extends ActorName>(name: Name): Call<Name> {
    const call = this.calls.findLast((each) => each.name === name) ?? assert.fail(`${name} was not started`);
    return call as unknown as Call<Name>;
  }

  async gives<Name extends ActorName>(name: Name, output: Actors[Name][1]): Promise<void> {
    const call = this.last(name);
    call.isSettled = true;
    call.settle.resolve(output);
    await setImmediate();
  }

  async fails(name: ActorName, error: unknown = new Error('it failed')): Promise<void> {
    const call = this.last(name);
    call.isSettled = true;
    call.settle.reject(error);
    await setImmediate();
  }

  #scripted<Name extends ActorName>(name: Name) {
    return (input: Actors[Name][0], signal: AbortSignal): Promise<Actors[Name][1]> => {
      if (arming.includes(name)) this.#nothingIsArmed(name);
      const settle = Promise.withResolvers<Actors[Name][1]>();
      this.calls.push({ name, input, signal, settle, isSettled: false });
      return settle.promise;
    };
  }

  /** The one that was armed before has given something, or a disarm has settled since it was aborted. */
  #nothingIsArmed(next: ActorName): void {
    const at = this.calls.findLastIndex(({ name }) => arming.includes(name));
    const before = this.calls[at];
    if (!before || (before.isSettled && !before.signal.aborted) || this.#given === before) return;
    const disarmed = this.calls.slice(at).some(({ name, isSettled }) => name === 'disarm' && isSettled);
    // What throws here is a fault of the actor, which no state may hide.
    if (!disarmed) this.states.push(`${next} beside ${before.name}`);
  }
}

function nameOf({ value, context }: SnapshotFrom<typeof transactionMachine>): string {
  const path = pathOf(value);
  if (path === 'collecting.presenting') return `${path} ${context.mode}`;
  return path === 'collecting.asking' ? `${path} ${context.asks}` : path;
}

function pathOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const [outer = '', inner = ''] = Object.entries(value)[0] ?? [];
  return `${outer}.${pathOf(inner)}`;
}
