import { assign } from 'xstate';
import { authorizing } from './machine/authorizing.ts';
import { collecting } from './machine/collecting.ts';
import { transactionSetup } from './machine/setup.ts';

export type { Canceller, TransactionEvent, TransactionInput } from './machine/context.ts';
export type {
  Answered,
  Asking,
  Authorization,
  CodeRequest,
  Collecting,
  Presentation,
  Question,
  Withdrawal,
} from './machine/outcomes.ts';

/**
 * One payment, from the request to its outcome (SPEC §3). The machine only says what follows what; the composition root
 * provides the actors, and every one of them settles within a deadline of its own. What was collected (card, code, PIN) is in
 * no context: it stays with the terminal and is forgotten there.
 *
 * An actor's signal is aborted when its state is left. No device is left armed: every way out of a collecting state without
 * what it collects passes through disarming, which waits until the device has confirmed. A code that a customer may have
 * scanned is no device: every way out of it passes through withdrawing, which waits for the host's word.
 */
export const transactionMachine = transactionSetup.createMachine({
  id: 'transaction',
  context: ({ input }) => ({ ...input, wallet: input.wallets[0] }),
  initial: 'idle',
  states: {
    idle: {
      on: {
        START: [
          {
            guard: ({ context }) => context.modes.length > 0,
            target: 'collecting',
            actions: assign(({ context }) => (context.start === undefined ? {} : { mode: context.start })),
          },
          { target: 'authorizing' },
        ],
      },
    },

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
