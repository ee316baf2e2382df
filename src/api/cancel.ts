import type { CancelAnswer } from '../terminal/answers.ts';
import { type ApiParts, notFoundAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { isRefusal, parseIdentity } from './pos-request.ts';
import { posResponse } from './pos-response.ts';

/** POST /sp/v1/cancel: answers once the terminal is idle again, or at once if it is too late. */
export async function cancel(body: unknown, { terminal, shop }: ApiParts): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refusalAnswer(400, identity, body);
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
        : tooLate(posResponse(answer.record, shop), 'the transaction has ended');
    case 'tooLate':
      return errorAnswer(409, 'INVALID_TRANSACTION_STATUS', 'too late: the host has been asked', {
        ...identity,
        state: answer.state,
      });
    case 'notFound':
      return notFoundAnswer(identity, answer.since);
    default:
      return answer satisfies never;
  }
}

/** A late cancel gets the outcome in its answer, so that the POS need not enquire. */
function tooLate(transaction: Record<string, unknown>, message: string): Answer {
  return errorAnswerWith(errorAnswer(409, 'INVALID_TRANSACTION_STATUS', `too late: ${message}`), { transaction });
}

function errorAnswerWith(answer: Answer, more: Record<string, unknown>): Answer {
  return { ...answer, body: { ...(answer.body as Record<string, unknown>), ...more } };
}
