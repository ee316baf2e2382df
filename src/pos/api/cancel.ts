import type { CancelAnswer } from '../../payment/terminal/answers.ts';
import { financialImpact } from '../../payment/records/impact.ts';
import { type Ended, presentConclusion } from '../../payment/records/present.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { type ApiParts, type Identity, notFoundAnswer, terminalRefusalAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer, posResponse, type PrintParts } from './pos-response.ts';
import { isRefusal } from './input.ts';
import { parseIdentity } from './pos-request.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';

/** POST /sp/v1/cancel: answers once the terminal is idle again, or at once if it is too late. */
export async function cancel(body: unknown, parts: ApiParts, { connection }: Partial<PosCaller> = {}): Promise<Answer> {
  const identity = parseIdentity(body);
  if (isRefusal(identity)) return refusalAnswer(400, identity, body);
  const { posId, messageId } = identity;
  const cancelled = parts.terminal.cancel(posId, messageId).then((answer) => cancelAnswer(answer, identity, parts));
  return parts.waiting.answer('cancel', identity, connection, cancelled);
}

async function cancelAnswer(answer: CancelAnswer, identity: Identity, parts: ApiParts): Promise<Answer> {
  switch (answer.kind) {
    case 'cancelled':
      return cancelled(identity, answer.record);
    case 'ended':
      // A repeated cancel gets the answer of the first.
      return answer.record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL'
        ? cancelled(identity, answer.record)
        : ended(identity, answer, parts);
    case 'tooLate':
      return errorAnswer(409, 'INVALID_TRANSACTION_STATUS', hostAsked, {
        ...identity,
        financialImpact: 'UNKNOWN',
        state: answer.state,
      });
    case 'journalFailed':
      return terminalRefusalAnswer(answer, identity);
    case 'notFound':
      return (await parts.terminal.enquireSettlement(identity.posId, identity.messageId))
        ? errorAnswer(409, 'INVALID_TRANSACTION_STATUS', ofSettlement, { ...identity, financialImpact: 'UNKNOWN' })
        : notFoundAnswer(identity, answer.since);
    default:
      return answer satisfies never;
  }
}

const ofSettlement = {
  reason: 'settlementNotCancellable',
  message: 'this is a settlement, which can’t be cancelled: an enquiry tells how it stands',
} as const;
const hostAsked = { reason: 'hostAsked', message: 'too late: the host has been asked' } as const;
const endedBefore = { reason: 'endedBeforeCancel', message: 'too late: the transaction has ended' } as const;

function cancelled(identity: Identity, record: TransactionRecord): Answer {
  const body = {
    ...identity,
    responseResult: 'SUCCESS',
    responseCode: 0,
    terminalTransactionId: record.id,
    message: 'the payment is cancelled',
    financialImpact: financialImpact(record),
  };
  return { status: 200, body };
}

/** A late cancel gets the outcome in its answer, so that the POS need not enquire. */
function ended(identity: Identity, answer: Ended, parts: PrintParts): Answer {
  const { record } = answer;
  // A success has no impact of a failure: `transaction` contains the outcome.
  const impact = presentConclusion(record).result === 'SUCCESS' ? 'UNKNOWN' : financialImpact(record);
  const detail = { ...identity, financialImpact: impact, transaction: posResponse(record, parts, answer) };
  return errorAnswer(409, 'INVALID_TRANSACTION_STATUS', endedBefore, detail);
}
