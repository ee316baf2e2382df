import { assign, setup } from 'xstate';
import { actorOf } from './actors.ts';
import type { TransactionContext, TransactionEvent, TransactionInput } from './context.ts';
import { collectEnd } from './ends.ts';

/** What the states share: actors by name, guards and actions. */
export const transactionSetup = setup({
  types: {
    input: {} as TransactionInput,
    context: {} as TransactionContext,
    events: {} as TransactionEvent,
  },
  actors: {
    keepAnswer: actorOf('keepAnswer'),
    collect: actorOf('collect'),
    ask: actorOf('ask'),
    disarm: actorOf('disarm'),
    askCode: actorOf('askCode'),
    awaitPayment: actorOf('awaitPayment'),
    withdraw: actorOf('withdraw'),
    authorize: actorOf('authorize'),
    completeCard: actorOf('completeCard'),
    reverse: actorOf('reverse'),
    conclude: actorOf('conclude'),
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
    questionTimeout: ({ context }) => context.questionMs ?? 0,
    collectTimeout: ({ context }) => context.collectTimeoutMs,
    walletTimeout: ({ context }) => context.walletTimeoutMs,
  },
  guards: {
    asksQuestion: ({ context }) => context.questionMs !== undefined,
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
