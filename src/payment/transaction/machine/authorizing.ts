import { assign } from 'xstate';
import {
  endOfAuthorization,
  collectEnd,
  conclusionIn,
  unwritten,
  unwrittenAnswer,
  endOfWithdrawal,
  transactionSetup,
} from './setup.ts';
import { give, giveNothing } from './given.ts';

/** From the first byte sent to a host. It ends only once an unknown outcome is known or undone. */
export const authorizing = transactionSetup.createStateConfig({
  initial: 'atHost',
  states: {
    atHost: {
      invoke: {
        src: 'authorize',
        input: giveNothing,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'unknown',
            target: 'reversing',
            actions: assign(({ event }) => endOfAuthorization(event.output)),
          },
          { guard: ({ event }) => event.output.kind === 'waiting', target: 'awaitingCustomer' },
          { guard: ({ event }) => event.output.kind === 'card', target: 'completingCard' },
          {
            guard: ({ event }) => event.output.kind === 'ask',
            target: '#transaction.collecting.asking',
            actions: assign(({ event: { output } }) =>
              output.kind === 'ask' ? { asks: output.asks, hint: output.hint } : {},
            ),
          },
          {
            guard: ({ event }) => event.output.kind === 'again',
            target: '#transaction.collecting',
            actions: assign(({ event: { output } }) => (output.kind === 'again' ? { hint: output.hint } : {})),
          },
          { target: '#transaction.ending', actions: assign(({ event }) => endOfAuthorization(event.output)) },
        ],
        // The journal failed before the first byte was sent (after that, authorize itself queues the reversal).
        onError: { target: '#transaction.ending', actions: assign(unwritten) },
      },
    },
    /** The wallet asks the customer on the phone. */
    awaitingCustomer: {
      invoke: {
        src: 'awaitPayment',
        input: giveNothing,
        onDone: { target: 'withdrawn', actions: assign(({ event }) => ({ withdrawal: event.output })) },
        onError: 'withdrawing',
      },
      on: {
        CANCEL: {
          target: 'withdrawing',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
      },
      after: { walletTimeout: { target: 'withdrawing', actions: 'timeOut' } },
    },
    withdrawing: {
      invoke: {
        src: 'withdraw',
        input: giveNothing,
        onDone: { target: 'withdrawn', actions: assign(({ event }) => ({ withdrawal: event.output })) },
        onError: { target: 'reversing', actions: assign(unwrittenAnswer) },
      },
      on: {
        CANCEL: {
          guard: 'unconcluded',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
      },
    },
    /**
     * Paid after all, or closed. If closed, the cause of the withdrawal takes effect: the next method, a cancel or the
     * time-out.
     */
    withdrawn: {
      always: [
        {
          guard: ({ context }) => context.withdrawal?.kind === 'unknown',
          target: 'reversing',
          actions: assign(({ context }) => endOfWithdrawal(context.withdrawal)),
        },
        {
          guard: ({ context }) => context.withdrawal?.kind === 'concluded',
          target: '#transaction.ending',
          actions: assign(({ context }) => endOfWithdrawal(context.withdrawal)),
        },
        { guard: 'concluded', target: 'concluding' },
        {
          guard: ({ context }) => context.next !== undefined,
          target: '#transaction.collecting',
          actions: 'changeMode',
        },
        { target: 'concluding', actions: 'timeOut' },
      ],
    },
    completingCard: {
      invoke: {
        src: 'completeCard',
        input: giveNothing,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'unknown',
            target: 'reversing',
            actions: assign(({ event }) => endOfAuthorization(event.output)),
          },
          { target: '#transaction.ending', actions: assign(({ event }) => endOfAuthorization(event.output)) },
        ],
        onError: { target: 'reversing', actions: assign(unwrittenAnswer) },
      },
    },
    reversing: {
      invoke: { src: 'reverse', input: giveNothing, onDone: 'concluding', onError: 'concluding' },
    },
    concluding: {
      invoke: {
        src: 'conclude',
        input: give(conclusionIn),
        onDone: '#transaction.ending',
        onError: '#transaction.ending',
      },
    },
  },
});
