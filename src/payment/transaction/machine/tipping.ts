import { assign } from 'xstate';
import { collectEnd, conclusionIn, unwritten } from './ends.ts';
import { give } from './given.ts';
import type { TipKept } from './outcomes.ts';
import { transactionSetup } from './setup.ts';

/**
 * Asks the customer for a tip, before anything is armed. What the customer chooses is durable before the machine goes
 * on, so that the amount which is shown, armed, sent and told is one. Who does not choose in time gives no tip.
 */
export const tipping = transactionSetup.createStateConfig({
  initial: 'choosingTip',
  states: {
    choosingTip: {
      on: {
        TIP: { target: 'keepingTip', actions: assign(({ event }) => ({ tipMinor: event.tipMinor })) },
        TIP_ENTERED: { target: 'choosingTip', reenter: true },
        CANCEL: {
          target: 'concluding',
          actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
        },
      },
      after: { tipTimeout: { target: 'keepingTip', actions: assign({ tipMinor: 0n }) } },
    },
    keepingTip: {
      invoke: {
        src: 'keepTip',
        input: give(({ tipMinor = 0n }) => tipMinor),
        onDone: [
          { guard: 'concluded', target: 'concluding' },
          { guard: ({ event }) => event.output.kind === 'again', target: 'choosingTip' },
          {
            guard: ({ event }) => event.output.kind === 'ended',
            target: 'concluding',
            actions: assign(({ event: { output } }) =>
              output.kind === 'ended' ? { conclusion: output.conclusion } : {},
            ),
          },
          { target: '#transaction.collecting', actions: assign(({ event }) => tippedContext(event.output)) },
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

function tippedContext(output: TipKept) {
  if (output.kind !== 'kept') return {};
  const { kind: _kept, ...tipped } = output;
  return { ...tipped, mode: tipped.start, wallet: tipped.wallets[0] };
}
