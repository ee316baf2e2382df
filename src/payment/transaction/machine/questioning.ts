import { assign } from 'xstate';
import { collectEnd, conclusionIn, unwritten, transactionSetup } from './setup.ts';
import { give } from './given.ts';
import type { Kept } from './outcomes.ts';

/**
 * Asks the questions of sale options, before anything is armed or once a card is known. Nothing is armed meanwhile. An
 * answer is durable before the machine continues, so that one amount is shown, armed, sent and reported.
 */
export const questioning = transactionSetup.createStateConfig({
  initial: 'choosing',
  states: {
    choosing: {
      on: {
        ANSWER: { target: 'keeping', actions: assign(({ event }) => ({ answer: event.answer })) },
        ENTERED: { target: 'choosing', reenter: true },
        CANCEL: {
          target: 'concluding',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
      },
      after: { questionTimeout: { target: 'keeping', actions: assign({ answer: undefined }) } },
    },
    keeping: {
      invoke: {
        src: 'keepAnswer',
        input: give(({ answer }) => answer),
        onDone: [
          { guard: 'concluded', target: 'concluding' },
          { guard: ({ event }) => event.output.kind === 'again', target: 'choosing' },
          {
            guard: ({ event }) => event.output.kind === 'ended',
            target: 'concluding',
            actions: assign(({ event: { output } }) =>
              output.kind === 'ended' ? { conclusion: output.conclusion } : {},
            ),
          },
          {
            guard: ({ event: { output } }) => output.kind === 'kept' && output.questionMs !== undefined,
            target: 'choosing',
            actions: assign(({ event }) => contextOf(event.output)),
          },
          {
            guard: ({ event: { output } }) => output.kind === 'kept' && output.presentAgain === true,
            target: '#transaction.collecting',
            actions: assign(({ event }) => ({
              ...contextOf(event.output),
              asks: undefined,
              hint: 'presentAgain' as const,
            })),
          },
          {
            guard: ({ context }) => context.isCardKnown === true,
            target: '#transaction.collecting.presented',
            actions: assign(({ event }) => contextOf(event.output)),
          },
          { target: '#transaction.collecting', actions: assign(({ event }) => contextOf(event.output)) },
        ],
        onError: { target: '#transaction.ending', actions: assign(unwritten) },
      },
      on: {
        // The commit is under way: it is waited for, so that the end is written after it.
        CANCEL: {
          guard: 'unconcluded',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
      },
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

function contextOf(output: Kept) {
  if (output.kind !== 'kept') return {};
  const { kind: _kept, presentAgain: _again, questionMs, ...rest } = output;
  return { ...rest, questionMs, mode: rest.start, wallet: rest.wallets[0] };
}
