import { assign, fromPromise, setup } from 'xstate';
import type { Amount } from '../domain/amount.ts';
import type { CollectOutcome, PresentedCard } from '../ports/card-reader.ts';
import type { Conclusion } from '../ports/journal.ts';
import { type CollectFailure, collectConcluded, failure } from './decide.ts';

/**
 * What authorizing came to, already durable. `unknown` has its reversal queued and still lacks its conclusion.
 */
export type Authorization =
  | { readonly kind: 'concluded'; readonly conclusion: Conclusion }
  | { readonly kind: 'unknown'; readonly conclusion: Conclusion };

export interface TransactionInput {
  readonly amount: Amount;
  readonly collectTimeoutMs: number;
  /** Whether the customer presents a card; a void goes by its original's. */
  readonly presentsCard: boolean;
}

interface TransactionContext extends TransactionInput {
  /** Why the reader is armed again, when it is: shown to the customer. */
  readonly retryReason?: string;
  readonly conclusion?: Conclusion;
}

export type TransactionEvent = { type: 'START' } | { type: 'CANCEL'; by: 'pos' | 'merchant' | 'customer' };

/**
 * One payment, from the request to its outcome (SPEC §3). The machine only says what follows what; the composition root
 * provides the actors, and every one of them settles within a deadline of its own.
 *
 * An actor's signal is aborted when its state is left. The reader is never left armed: every way out of presentingCard
 * without a card passes through disarming, which waits until the reader has confirmed.
 */
export const transactionMachine = setup({
  types: {
    input: {} as TransactionInput,
    context: {} as TransactionContext,
    events: {} as TransactionEvent,
  },
  actors: {
    collectCard: fromPromise<CollectOutcome, Amount>(notProvided),
    /** Settles once the reader waits for no card any more. */
    disarm: fromPromise<void>(notProvided),
    authorize: fromPromise<Authorization, PresentedCard | undefined>(notProvided),
    /** Gives the queued reversal its first, bounded chance. */
    reverse: fromPromise<void>(notProvided),
    /** Makes the conclusion durable. */
    conclude: fromPromise<void, Conclusion>(notProvided),
  },
  delays: {
    collectTimeout: ({ context }) => context.collectTimeoutMs,
  },
  guards: {
    endedApproved: ({ context }) => context.conclusion?.outcome === 'approved',
    endedDeclined: ({ context }) => context.conclusion?.outcome === 'declined',
  },
}).createMachine({
  id: 'transaction',
  context: ({ input }) => ({ ...input }),
  initial: 'idle',
  states: {
    idle: {
      on: {
        START: [{ guard: ({ context }) => context.presentsCard, target: 'collecting' }, { target: 'authorizing' }],
      },
    },

    collecting: {
      initial: 'presentingCard',
      states: {
        presentingCard: {
          invoke: {
            src: 'collectCard',
            input: ({ context }) => context.amount,
            onDone: [
              { guard: ({ event }) => event.output.kind === 'card', target: '#transaction.authorizing' },
              {
                guard: ({ event }) => event.output.kind === 'tryAgain',
                target: 'presentingCard',
                reenter: true,
                actions: assign(({ event }) =>
                  event.output.kind === 'tryAgain' ? { retryReason: event.output.reason } : {},
                ),
              },
              { target: 'concluding', actions: assign(({ event }) => collectEnd(uncollected(event.output))) },
            ],
            onError: {
              target: 'concluding',
              actions: assign(({ event }) => collectEnd({ kind: 'reader', code: errorCode(event.error) })),
            },
          },
          on: {
            CANCEL: {
              target: 'disarming',
              actions: assign(({ event }) => collectEnd({ kind: 'cancelled', by: event.by })),
            },
          },
          always: { guard: ({ context }) => context.conclusion !== undefined, target: 'disarming' },
        },
        disarming: {
          invoke: { src: 'disarm', onDone: 'concluding', onError: 'concluding' },
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
      after: {
        collectTimeout: {
          // Cancelled or refused already: the conclusion stands, the time-out comes too late.
          guard: ({ context }) => context.conclusion === undefined,
          actions: assign(() => collectEnd({ kind: 'timeout' })),
        },
      },
    },

    authorizing: {
      initial: 'atHost',
      states: {
        atHost: {
          invoke: {
            src: 'authorize',
            input: ({ event }) => presentedCard(event),
            onDone: [
              {
                guard: ({ event }) => event.output.kind === 'unknown',
                target: 'reversing',
                actions: assign(({ event }) => ({ conclusion: event.output.conclusion })),
              },
              {
                target: '#transaction.ending',
                actions: assign(({ event }) => ({ conclusion: event.output.conclusion })),
              },
            ],
            // The journal failed before the first byte left (authorize reverses by itself once one may have left).
            onError: {
              target: '#transaction.ending',
              actions: assign(() => ({
                conclusion: failure('DATABASE_ERROR', 'the journal could not be written, the payment was not sent'),
              })),
            },
          },
        },
        reversing: {
          invoke: { src: 'reverse', onDone: 'concluding', onError: 'concluding' },
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
    },

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

function notProvided(): Promise<never> {
  return Promise.reject(new Error('the composition root provides this actor'));
}

function collectEnd(end: CollectFailure): Pick<TransactionContext, 'conclusion'> {
  return { conclusion: collectConcluded(end) };
}

/** The ends of a collect that ask for no card again. `cancelled` without a CANCEL: the reader's own key. */
function uncollected(outcome: CollectOutcome): CollectFailure {
  switch (outcome.kind) {
    case 'timeout':
      return { kind: 'timeout' };
    case 'cancelled':
      return { kind: 'cancelled', by: 'customer' };
    case 'refused':
      return { kind: 'refused', reason: outcome.reason };
    case 'card':
    case 'tryAgain':
      throw new Error(`collect outcome '${outcome.kind}' does not end collecting`);
    default:
      return outcome satisfies never;
  }
}

/**
 * The card in the event that led here: it is in no context, so that it lives no longer than the authorization. None where
 * START led here.
 */
function presentedCard(event: unknown): PresentedCard | undefined {
  const { output } = event as { output?: CollectOutcome };
  return output?.kind === 'card' ? output.card : undefined;
}

function ended(context: TransactionContext): Conclusion {
  return context.conclusion ?? failure('UNKNOWN', 'the transaction ended without a conclusion');
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'fault';
}
