import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { EnquiryAnswer } from '../../payment/terminal/answers.ts';
import type { Running } from '../../payment/terminal/request.ts';
import { type ApiParts, type Identity, notFoundAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer, posResponse } from './pos-response.ts';
import { inputFaults, isRefusal, type InputRefusal } from './input.ts';
import { enquirySchema, parseIdentity } from './pos-request.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';
import { settlementResponse } from './settlement.ts';

/** POST /sp/v1/enquiry: the present state of a payment or a settlement. */
export async function enquiry(body: unknown, parts: ApiParts, caller: PosCaller): Promise<Answer> {
  const identity = await identityOf(body, parts, caller);
  if (identity === undefined) return notFoundAnswer({}, parts.terminal.notFound().since);
  if (isRefusal(identity)) return refusalAnswer(400, identity, body);
  const answer: EnquiryAnswer = await parts.terminal.enquire(identity.posId, identity.messageId);
  switch (answer.kind) {
    case 'ended':
      return { status: 200, body: posResponse(answer.record, parts, answer) };
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

/**
 * The transaction that the request names: by its identity, or without a messageId by the terminal's id; undefined if
 * there is none with that id. A paired POS does not see those of others.
 */
async function identityOf(
  body: unknown,
  { terminal }: ApiParts,
  caller: PosCaller,
): Promise<Identity | InputRefusal | undefined> {
  const parsed = enquirySchema.safeParse(body);
  if (!parsed.success) return { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) };
  const { messageId, terminalTransactionId: id } = parsed.data;
  if (id === undefined || messageId !== undefined) return parseIdentity(body);
  const named = await terminal.identityOf(id as TerminalTransactionId);
  if (!named || (caller.posId !== undefined && caller.posId !== named.posId)) return undefined;
  return { posId: named.posId, messageId: named.messageId };
}

/** A payment that has not ended. */
export function runningAnswer({ posId, messageId }: Identity, { state, step, merchantId }: Running): Answer {
  const message = 'the transaction is under way';
  return errorAnswer(
    200,
    'PROCESSING',
    { reason: 'transactionRunning', message },
    {
      posId,
      messageId,
      financialImpact: 'UNKNOWN',
      state,
      ...(step === undefined ? {} : { step }),
      ...(merchantId === undefined ? {} : { merchantId }),
    },
  );
}

const settling = { reason: 'settlementRunning', message: 'the settlement is under way' } as const;
