import { type AcquirerId, acquirerId } from '../domain/identifiers.ts';
import type { AnswerShape } from '../ports/journal.ts';
import type { CancelAnswer, EnquiryAnswer, PayAnswer, PaymentRequest, Terminal } from '../terminal/terminal.ts';
import type { TransactionRecord } from '../transaction/record.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import {
  isRefusal,
  parseIdentity,
  parsePosRequest,
  type PosRequest,
  type Refusal,
  requestDigest,
} from './pos-request.ts';
import { posResponse, type Shop } from './pos-response.ts';
import { impossible } from './possible.ts';

export interface ApiParts {
  readonly terminal: Pick<Terminal, 'pay' | 'enquire' | 'cancel'>;
  readonly acquirers: readonly AcquirerId[];
  readonly shop: Shop;
  /** Who prints the receipt decides the shape of the answer. */
  readonly shapeFor: (posId: string) => AnswerShape;
  readonly status: () => Promise<unknown>;
}

type Handler = (body: unknown, parts: ApiParts) => Promise<Answer>;

/** Path → method → handler. */
export const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/sp/v1/payment': { POST: payment },
  '/sp/v1/enquiry': { POST: enquiry },
  '/sp/v1/cancel': { POST: cancel },
  '/sp/v1/status': { GET: async (_body, { status }) => ({ status: 200, body: await status() }) },
};

/** The answer waits until the transaction is over (SPEC §4). */
async function payment(body: unknown, parts: ApiParts): Promise<Answer> {
  const request = parsePosRequest(body);
  if (isRefusal(request)) return refused(400, request, body);
  const refusal = impossible(request, parts.acquirers);
  if (refusal) return refused(422, refusal, body);
  return payAnswer(await parts.terminal.pay(paymentRequest(request, parts)), request, parts.shop);
}

function paymentRequest(request: PosRequest, { shapeFor }: ApiParts): PaymentRequest {
  const { posId, messageId, transactionType: type, amount, forceAcquirer } = request;
  return {
    posId,
    messageId,
    digest: requestDigest(request),
    type,
    amount,
    shape: shapeFor(posId),
    ...(forceAcquirer === undefined ? {} : { forcedAcquirer: acquirerId(forceAcquirer) }),
  };
}

function payAnswer(answer: PayAnswer, { posId, messageId }: PosRequest, shop: Shop): Answer {
  const nothing = { posId, messageId, financialImpact: 'NONE' } as const;
  switch (answer.kind) {
    case 'ended':
      return ended(answer.record, shop);
    case 'busy':
      return errorAnswer(409, 'ERROR', 'the terminal is busy with another transaction', {
        ...nothing,
        running: answer.owner,
      });
    case 'otherRequest':
      return errorAnswer(409, 'ALREADY_EXISTS', 'this messageId names another request', nothing);
    case 'notReady':
      return errorAnswer(503, 'ERROR', answer.reason, nothing);
    case 'journalFailed':
      return answer.started
        ? errorAnswer(503, 'UNKNOWN', 'the journal failed, the outcome is not known: enquire', { posId, messageId })
        : errorAnswer(503, 'DATABASE_ERROR', 'the journal failed, nothing was started', nothing);
    default:
      return answer satisfies never;
  }
}

async function enquiry(body: unknown, { terminal, shop }: ApiParts): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refused(400, identity, body);
  const answer: EnquiryAnswer = await terminal.enquire(identity.posId, identity.messageId);
  switch (answer.kind) {
    case 'ended':
      return ended(answer.record, shop);
    case 'running':
      return errorAnswer(200, 'PROCESSING', 'the transaction is under way', { ...identity, state: answer.state });
    case 'notFound':
      return notFound(identity);
    default:
      return answer satisfies never;
  }
}

async function cancel(body: unknown, { terminal, shop }: ApiParts): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refused(400, identity, body);
  const answer: CancelAnswer = await terminal.cancel(identity.posId, identity.messageId);
  switch (answer.kind) {
    case 'cancelled':
      return {
        status: 200,
        body: {
          ...identity,
          responseResult: 'SUCCESS',
          responseCode: 0,
          terminalTransactionId: answer.record.id,
          message: 'cancelled, the terminal is idle',
        },
      };
    case 'ended':
      return answer.record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL'
        ? errorAnswer(409, 'TRANSACTION_ALREADY_CANCEL', 'the transaction was cancelled before', identity)
        : tooLate(posResponse(answer.record, shop), 'the transaction is over');
    case 'tooLate':
      return errorAnswer(409, 'INVALID_TRANSACTION_STATUS', 'too late: the host has been asked', {
        ...identity,
        state: answer.state,
      });
    case 'notFound':
      return notFound(identity);
    default:
      return answer satisfies never;
  }
}

/** A cancel that came too late brings the outcome along: the POS need not ask again. */
function tooLate(transaction: Record<string, unknown>, message: string): Answer {
  return errorAnswerWith(errorAnswer(409, 'INVALID_TRANSACTION_STATUS', `too late: ${message}`), { transaction });
}

function errorAnswerWith(answer: Answer, more: Record<string, unknown>): Answer {
  return { ...answer, body: { ...(answer.body as Record<string, unknown>), ...more } };
}

function ended(record: TransactionRecord, shop: Shop): Answer {
  return { status: 200, body: posResponse(record, shop) };
}

function notFound(identity: { posId: string; messageId: string }): Answer {
  return errorAnswer(404, 'NOT_FOUND', 'no transaction has this posId and messageId', {
    ...identity,
    financialImpact: 'NONE',
  });
}

/** Echoes the identity where it is one: SPEC §4, rule 2. */
function refused(status: number, refusal: Refusal, body: unknown): Answer {
  const identity = parseIdentity(body);
  const [first] = refusal.errors;
  return errorAnswer(
    status,
    refusal.result,
    first ? `${first.pointer || 'the body'} ${first.message}` : 'not acceptable',
    {
      ...(isRefusal(identity) ? {} : identity),
      financialImpact: 'NONE',
      errors: refusal.errors,
    },
  );
}
