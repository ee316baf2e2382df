import { assign } from 'xstate';
import { authorizing } from './machine/authorizing.ts';
import { collecting } from './machine/collecting.ts';
import { transactionSetup } from './machine/setup.ts';
import { questioning } from './machine/questioning.ts';

export type { TransactionActors } from './machine/actors.ts';
export type { Canceller, TransactionEvent, TransactionInput } from './machine/context.ts';
export type {
  Answered,
  Asking,
  Authorization,
  CodeRequest,
  Collecting,
  Kept,
  Presentation,
  Question,
  Withdrawal,
} from './machine/outcomes.ts';

/**
 * One payment, from the request to its outcome (SPEC §3). The machine only declares the order of the steps, and is
 * built once. The actors come with each payment's input, and each of them settles within its own deadline. Collected
 * data (card, code, PIN) is in no context: the method's session holds and erases it. An actor's signal is aborted when
 * its state is left. No device is left armed: every exit from a collecting state without a result passes through
 * disarming, which waits for the device's confirmation. A code that the customer may have scanned can't be disarmed:
 * every exit passes through withdrawing, which waits for the host's answer.
 */
export const transactionMachine = transactionSetup.createMachine({
  id: 'transaction',
  context: ({ input }) => ({ ...input, wallet: input.wallets[0] }),
  initial: 'idle',
  states: {
    idle: {
      on: {
        START: [
          { guard: 'asksQuestion', target: 'questioning' },
          {
            guard: ({ context }) => context.modes.length > 0,
            target: 'collecting',
            actions: assign(({ context }) => (context.start === undefined ? {} : { mode: context.start })),
          },
          { target: 'authorizing' },
        ],
      },
    },

    questioning,
    collecting,
    authorizing,

    ending: {
      always: [
        { guard: 'endedApproved', target: 'approved' },
        { guard: 'endedDeclined', target: 'declined' },
        { target: 'error' },
      ],
    },
    approved: { type: 'final' },
    declined: { type: 'final' },
    error: { type: 'final' },
  },
});
