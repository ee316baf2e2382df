import { assign } from 'xstate';
import { collectEnd, unwritten, transactionSetup } from './setup.ts';
import { give, giveNothing } from './given.ts';

/**
 * Shows a code for the customer to scan. No device is armed, and anyone who has scanned the code may pay, so this state
 * is left only by withdrawing.
 */
export const presentingCode = transactionSetup.createStateConfig({
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        src: 'askCode',
        input: give(({ mode = '', wallet }) => ({ mode, scheme: wallet })),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'shown',
            target: 'showing',
            actions: assign(({ event: { output } }) => (output.kind === 'shown' ? { payload: output.payload } : {})),
          },
          {
            target: '#transaction.authorizing.withdrawn',
            actions: assign(({ event: { output } }) => (output.kind === 'shown' ? {} : { withdrawal: output })),
          },
        ],
        // The journal failed before the first byte was sent.
        onError: { target: '#transaction.ending', actions: assign(unwritten) },
      },
    },
    showing: {
      invoke: {
        src: 'awaitPayment',
        input: giveNothing,
        onDone: {
          target: '#transaction.authorizing.withdrawn',
          actions: assign(({ event }) => ({ withdrawal: event.output })),
        },
        onError: '#transaction.authorizing.withdrawing',
      },
    },
  },
  on: {
    CANCEL: {
      guard: 'unconcluded',
      target: '#transaction.authorizing.withdrawing',
      actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
    },
    CHOOSE: {
      guard: 'offersAnother',
      target: '#transaction.authorizing.withdrawing',
      actions: assign(({ event }) => ({ next: event.mode })),
    },
    WALLET: {
      guard: 'offersWallet',
      target: '#transaction.authorizing.withdrawing',
      actions: assign(({ context, event }) => ({ next: context.mode, wallet: event.scheme })),
    },
  },
});
