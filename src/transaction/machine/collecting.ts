import { assign, stateIn } from 'xstate';
import { cardEnd, collectEnd, deviceEnd, ended, readerEnd, retryHint } from './ends.ts';
import { presentingCode } from './presenting-code.ts';
import { transactionSetup } from './setup.ts';

/** Until something was collected that can be sent to a host, or nothing ever will be. One device is armed at a time. */
export const collecting = transactionSetup.createStateConfig({
  initial: 'starting',
  states: {
    /** Where `mode` says. */
    starting: {
      always: [
        { guard: ({ context }) => context.mode === undefined, target: 'choosingMethod' },
        { guard: ({ context }) => context.mode === 'QR_SCAN', target: 'scanningCode' },
        { guard: ({ context }) => context.mode === 'QR_PRESENT', target: 'presentingCode' },
        { guard: ({ context }) => context.mode === 'OCTOPUS', target: 'tappingOctopus' },
        { guard: ({ context }) => context.mode === 'CASH', target: 'tenderingCash' },
        { target: 'presentingCard' },
      ],
    },
    choosingMethod: {
      invoke: {
        src: 'collectCard',
        input: undefined,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'tryAgain',
            target: 'choosingMethod',
            reenter: true,
            actions: assign(({ event }) => retryHint(event.output)),
          },
          {
            target: 'cardPresented',
            actions: assign(({ event }) => ({ mode: 'CARD' as const, ...cardEnd(event.output) })),
          },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => readerEnd(event.error)) },
      },
    },
    presentingCard: {
      invoke: {
        src: 'collectCard',
        input: ({ context }) => context.mode,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'tryAgain',
            target: 'presentingCard',
            reenter: true,
            actions: assign(({ event }) => retryHint(event.output)),
          },
          { target: 'cardPresented', actions: assign(({ event }) => cardEnd(event.output)) },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => readerEnd(event.error)) },
      },
    },
    /** What the card still asks of its holder; where it is no card that can pay, the end. */
    cardPresented: {
      entry: 'clearHint',
      always: [
        { guard: 'concluded', target: 'concluding' },
        { guard: ({ context }) => context.asks === 'account', target: 'choosingAccount' },
        { guard: ({ context }) => context.asks === 'pin', target: 'enteringPin' },
        { target: '#transaction.authorizing' },
      ],
    },
    choosingAccount: {
      on: { ACCOUNT: 'enteringPin' },
    },
    enteringPin: {
      invoke: {
        src: 'enterPin',
        input: ({ context }) => ({ again: context.hint === 'wrongPin' }),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'pin',
            target: '#transaction.authorizing',
            actions: 'clearHint',
          },
          {
            target: 'concluding',
            actions: assign(({ event }) =>
              collectEnd(event.output.kind === 'timeout' ? { kind: 'timeout' } : { kind: 'cancelled', by: 'customer' }),
            ),
          },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => deviceEnd('PIN pad', event.error)) },
      },
    },
    scanningCode: {
      invoke: {
        src: 'scanCode',
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'code',
            target: '#transaction.authorizing',
            actions: 'clearHint',
          },
          {
            guard: ({ event }) => event.output.kind === 'notACode',
            target: 'scanningCode',
            reenter: true,
            actions: assign({ hint: 'notAWalletCode' }),
          },
          { target: 'concluding', actions: assign(() => collectEnd({ kind: 'cancelled', by: 'customer' })) },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => deviceEnd('scanner', event.error)) },
      },
    },
    tappingOctopus: {
      invoke: {
        src: 'tapOctopus',
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'card',
            target: '#transaction.authorizing',
            actions: 'clearHint',
          },
          {
            guard: ({ event }) => event.output.kind === 'tryAgain',
            target: 'tappingOctopus',
            reenter: true,
            actions: assign({ hint: 'presentAgain' }),
          },
          {
            target: 'concluding',
            actions: assign(({ event: { output } }) =>
              collectEnd(
                output.kind === 'refused'
                  ? { kind: 'octopus', code: output.code }
                  : { kind: 'cancelled', by: 'customer' },
              ),
            ),
          },
        ],
        onError: { target: 'concluding', actions: assign(({ event }) => deviceEnd('Octopus reader', event.error)) },
      },
    },
    tenderingCash: {
      on: { TENDERED: '#transaction.authorizing' },
    },
    presentingCode,
    disarming: {
      invoke: { src: 'disarm', onDone: 'disarmed', onError: 'disarmed' },
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
        input: ({ context }) => ended(context),
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
    // Cancelled or refused already: the conclusion stands, the time-out comes too late.
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
