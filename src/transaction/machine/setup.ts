import { assign, fromPromise, setup } from 'xstate';
import type { CollectMode } from '../../domain/entry-mode.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type { TransactionContext, TransactionEvent, TransactionInput } from './context.ts';
import { collectEnd } from './ends.ts';
import type {
  Answered,
  Asking,
  Authorization,
  CodeRequest,
  Collecting,
  Presentation,
  TipKept,
  Withdrawal,
} from './outcomes.ts';

/** What the states share: actors by name, guards and actions. */
export const transactionSetup = setup({
  types: {
    input: {} as TransactionInput,
    context: {} as TransactionContext,
    events: {} as TransactionEvent,
  },
  actors: {
    /** Makes the chosen tip durable, and plans the payment with it. */
    keepTip: fromPromise<TipKept, bigint>(notProvided),
    /** Arms the devices of the mode. With `undefined` the default mode is armed while the merchant chooses. */
    collect: fromPromise<Collecting, CollectMode | undefined>(notProvided),
    /** Asks the customer a question of the method. */
    ask: fromPromise<Answered, Asking>(notProvided),
    /** Resolves once no device is armed. */
    disarm: fromPromise<void>(notProvided),
    /** Requests a code from the wallet's host; its intent is durable before. */
    askCode: fromPromise<Presentation, CodeRequest>(notProvided),
    /** Enquires until the customer has paid, or can't pay any more. */
    awaitPayment: fromPromise<Withdrawal>(notProvided),
    /** Closes an order that the customer might still pay, and learns whether the customer had paid before. */
    withdraw: fromPromise<Withdrawal>(notProvided),
    authorize: fromPromise<Authorization>(notProvided),
    /** Gives the host's answer to the chip. */
    completeCard: fromPromise<Authorization>(notProvided),
    /** Gives the queued reversal its first attempt, for a limited time. */
    reverse: fromPromise<void>(notProvided),
    /** Makes the conclusion durable. */
    conclude: fromPromise<void, Conclusion>(notProvided),
  },
  actions: {
    clearHint: assign({ hint: undefined }),
    timeOut: assign(() => collectEnd({ kind: 'timeout' })),
    changeMode: assign(({ context: { mode, next } }) => ({
      hint: undefined,
      payload: undefined,
      next: undefined,
      mode: next ?? mode,
    })),
  },
  delays: {
    tipTimeout: ({ context }) => context.tipTimeoutMs ?? 0,
    collectTimeout: ({ context }) => context.collectTimeoutMs,
    walletTimeout: ({ context }) => context.walletTimeoutMs,
  },
  guards: {
    asksTip: ({ context }) => context.tipTimeoutMs !== undefined,
    concluded: ({ context }) => context.conclusion !== undefined,
    unconcluded: ({ context }) => context.conclusion === undefined,
    endedApproved: ({ context }) => context.conclusion?.outcome === 'approved',
    endedDeclined: ({ context }) => context.conclusion?.outcome === 'declined',
    offers: ({ context, event }) =>
      event.type === 'CHOOSE' && context.conclusion === undefined && context.modes.includes(event.mode),
    offersAnother: ({ context, event }) =>
      event.type === 'CHOOSE' &&
      context.conclusion === undefined &&
      event.mode !== context.mode &&
      context.modes.includes(event.mode),
    offersWallet: ({ context, event }) =>
      event.type === 'WALLET' &&
      context.conclusion === undefined &&
      event.scheme !== context.wallet &&
      context.wallets.includes(event.scheme),
  },
});

function notProvided(): Promise<never> {
  return Promise.reject(new Error('the composition root provides this actor'));
}
