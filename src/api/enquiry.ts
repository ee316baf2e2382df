import type { EnquiryAnswer } from '../terminal/answers.ts';
import type { Running } from '../terminal/request.ts';
import { type ApiParts, type Identity, notFoundAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { isRefusal } from './input.ts';
import { parseIdentity } from './pos-request.ts';
import { posResponse } from './pos-response.ts';
import { settlementResponse } from './settlement.ts';

/** POST /sp/v1/enquiry: the present state of a payment or a settlement. */
export async function enquiry(body: unknown, parts: ApiParts): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refusalAnswer(400, identity, body);
  const answer: EnquiryAnswer = await parts.terminal.enquire(identity.posId, identity.messageId);
  switch (answer.kind) {
    case 'ended':
      return { status: 200, body: posResponse(answer.record, parts, answer.status) };
    case 'running':
      return runningAnswer(identity, answer);
    case 'notFound': {
      const settlement = await parts.terminal.enquireSettlement(identity.posId, identity.messageId);
      if (settlement === 'running')
        return errorAnswer(200, 'PROCESSING', settling, { ...identity, state: 'settling', financialImpact: 'UNKNOWN' });
      return settlement
        ? { status: 200, body: settlementResponse(settlement) }
        : notFoundAnswer(identity, answer.since);
    }
    default:
      return answer satisfies never;
  }
}

/** A payment that goes on. */
export function runningAnswer({ posId, messageId }: Identity, { state, step }: Running): Answer {
  const message = 'the transaction is under way';
  return errorAnswer(
    200,
    'PROCESSING',
    { reason: 'transactionRunning', message },
    { posId, messageId, financialImpact: 'UNKNOWN', state, ...(step === undefined ? {} : { step }) },
  );
}

const settling = { reason: 'settlementRunning', message: 'the settlement is under way' } as const;
