import { assign, stateIn } from 'xstate';
import type { ScreenHint } from '../../contracts/screen.ts';
import { collectEnd, conclusionIn, faultEnd, transactionSetup } from './setup.ts';
import { give, giveNothing } from './given.ts';
import type { Collecting } from './outcomes.ts';
import { presentingCode } from './presenting-code.ts';

/**
 * Until data is collected that can be sent to a host, or collecting ends without it. One device is armed at a time. The
 * method's session decides which device is armed and what else is asked (src/payment/method).
 */
export const collecting = transactionSetup.createStateConfig({
  initial: 'starting',
  states: {
    /** Enters the step of the chosen mode. */
    starting: {
      always: [
        { guard: ({ context }) => context.mode === undefined, target: 'choosingMethod' },
        {
          guard: ({ context }) => context.mode !== undefined && context.codeModes.includes(context.mode),
          target: 'presentingCode',
        },
        { target: 'presenting' },
      ],
    },
    choosingMethod: {
      invoke: {
        src: 'collect',
        input: give(() => undefined),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'again',
            target: 'choosingMethod',
            reenter: true,
            actions: assign(({ event }) => againHint(event.output)),
          },
          {
            guard: ({ event }) => event.output.kind === 'lost',
            target: 'choosingMethod',
            reenter: true,
            actions: assign(({ event }) => withoutLost(event.output)),
          },
          {
            target: 'presented',
            actions: assign(({ context, event }) => ({ mode: context.defaultMode, ...endOfPresenting(event.output) })),
          },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => faultEnd(event.error)) },
      },
      on: { HINT: { actions: assign(({ event }) => ({ hint: event.hint })) } },
    },
    presenting: {
      invoke: {
        src: 'collect',
        input: give(({ mode }) => mode),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'again',
            target: 'presenting',
            reenter: true,
            actions: assign(({ event }) => againHint(event.output)),
          },
          { target: 'presented', actions: assign(({ event }) => endOfPresenting(event.output)) },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => faultEnd(event.error)) },
      },
      on: {
        HINT: { actions: assign(({ event }) => ({ hint: event.hint })) },
        GIVEN: { target: 'presented', actions: assign(({ event }) => endOfPresenting(event.answer)) },
      },
    },
    /**
     * Asks the next question of an option or of the method, or authorizes; concludes if nothing usable was presented.
     */
    presented: {
      entry: 'clearHint',
      always: [
        { guard: 'concluded', target: 'concluding' },
        { guard: 'asksQuestion', target: '#transaction.questioning', actions: assign({ isCardKnown: true }) },
        { guard: ({ context }) => context.asks !== undefined, target: 'asking' },
        { target: '#transaction.authorizing' },
      ],
    },
    asking: {
      invoke: {
        src: 'ask',
        input: give(({ mode = '', asks = '', hint }) => ({ mode, asks, again: hint !== undefined })),
        onDone: { target: 'presented', actions: assign(({ event }) => endOfPresenting(event.output)) },
        onError: { target: 'concluding', actions: assign(({ event }) => faultEnd(event.error)) },
      },
      on: { GIVEN: { target: 'presented', actions: assign(({ event }) => endOfPresenting(event.answer)) } },
    },
    presentingCode,
    disarming: {
      invoke: { src: 'disarm', input: giveNothing, onDone: 'disarmed', onError: 'disarmed' },
      on: {
        CANCEL: {
          guard: 'unconcluded',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
        CHOOSE: { guard: 'offers', actions: assign(({ event }) => ({ next: event.mode })) },
      },
    },
    disarmed: {
      entry: 'changeMode',
      always: [{ guard: 'concluded', target: 'concluding' }, { target: 'starting' }],
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
  on: {
    CANCEL: {
      guard: 'unconcluded',
      target: '.disarming',
      actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
    },
    CHOOSE: {
      guard: 'offersAnother',
      target: '.disarming',
      actions: assign(({ event }) => ({ next: event.mode })),
    },
  },
  after: {
    // If the payment is already cancelled or refused, that conclusion stands, and the time-out is ignored.
    collectTimeout: [
      {
        guard: stateIn({ collecting: 'presentingCode' }),
        target: '#transaction.authorizing.withdrawing',
        actions: 'timeOut',
      },
      { guard: 'unconcluded', target: '.disarming', actions: 'timeOut' },
    ],
  },
});

function againHint(output: Collecting) {
  return output.kind === 'again' ? { hint: output.hint } : {};
}

/** The merchant continues choosing among the remaining modes, and nothing is armed meanwhile. */
function withoutLost(output: Collecting) {
  const hint: ScreenHint = 'readerLost';
  return output.kind === 'lost' ? { modes: output.modes, defaultMode: undefined, hint } : {};
}

function endOfPresenting(output: Collecting) {
  switch (output.kind) {
    case 'collected':
      return { asks: output.asks, questionMs: output.questionMs };
    case 'ended':
      return { conclusion: output.conclusion };
    case 'again':
    case 'lost':
      throw new Error('a retry does not end presenting');
    default:
      return output satisfies never;
  }
}
