import type { EnquiryAnswer } from '../terminal/answers.ts';
import { type ApiParts, notFoundAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { isRefusal, parseIdentity } from './pos-request.ts';
import { posResponse } from './pos-response.ts';
import { settlementResponse } from './settlement.ts';

/** POST /sp/v1/enquiry: the present state of a payment or a settlement. */
export async function enquiry(body: unknown, { terminal, shop }: ApiParts): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refusalAnswer(400, identity, body);
  const answer: EnquiryAnswer = await terminal.enquire(identity.posId, identity.messageId);
  switch (answer.kind) {
    case 'ended':
      return { status: 200, body: posResponse(answer.record, shop, answer.status) };
    case 'running':
      return errorAnswer(200, 'PROCESSING', 'the transaction is under way', {
        ...identity,
        state: answer.state,
        ...(answer.step === undefined ? {} : { step: answer.step }),
      });
    case 'notFound': {
      const settlement = await terminal.enquireSettlement(identity.posId, identity.messageId);
      if (settlement === 'running')
        return errorAnswer(200, 'PROCESSING', 'the settlement is under way', { ...identity, state: 'settling' });
      return settlement
        ? { status: 200, body: settlementResponse(settlement) }
        : notFoundAnswer(identity, answer.since);
    }
    default:
      return answer satisfies never;
  }
}
