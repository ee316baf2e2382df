import { assign, setup } from 'xstate';
import { actorOf } from './actors.ts';
import type { TransactionContext, TransactionEvent, TransactionInput } from './context.ts';
import { type Conclusion, failure } from '../../events/conclusion.ts';
import { type CollectFailure, collectConclusion, faultCode } from '../decide.ts';
import type { Authorization, Withdrawal } from './outcomes.ts';

/** Shared by the states: actors by name, guards and actions. */
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

type Concluded = Pick<TransactionContext, 'conclusion'>;

export function collectEnd(end: CollectFailure): Concluded {
  return { conclusion: collectConclusion(end) };
}

/** For a failed device, or a defect in its session. */
export function faultEnd(error: unknown): Concluded {
  return {
    conclusion: failure('ERROR', 'collectingFailed', `the payment could not be collected (${faultCode(error)})`),
  };
}

export function endOfAuthorization(output: Authorization): Concluded & Pick<TransactionContext, 'stored'> {
  if (!('conclusion' in output)) return {};
  const { conclusion } = output;
  return 'stored' in output && output.stored ? { conclusion, stored: output.stored } : { conclusion };
}

export function endOfWithdrawal(output: Withdrawal | undefined): Concluded & Pick<TransactionContext, 'stored'> {
  return output && output.kind !== 'closed' ? endOfAuthorization(output) : {};
}

export function unwritten(): Concluded {
  return {
    conclusion: failure(
      'DATABASE_ERROR',
      'paymentNotWritten',
      'the journal could not be written, the payment was not sent',
    ),
  };
}

export function unwrittenAnswer(): Concluded {
  return {
    conclusion: failure(
      'DATABASE_ERROR',
      'answerNotWritten',
      'the journal could not be written, the payment is reversed',
    ),
  };
}

export function conclusionIn(context: TransactionContext): Conclusion {
  return context.conclusion ?? failure('UNKNOWN', 'outcomeUnknown', 'the transaction ended without a conclusion');
}
