import type { JournalEvent } from '../../payment/events/event.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { type IsSettled, judgeLateAdvice } from './late-advice.ts';
import { reversalOrder } from './message.ts';

export type LateNews = 'late approval' | 'late answer to an advice' | 'late answer to a reversal';

interface Heard {
  readonly what: LateNews;
  readonly events: readonly JournalEvent[];
}

/** Judges what a late answer changes in the transaction with its number. Returns undefined if it says nothing new. */
export async function judgeLateAnswer(
  record: TransactionRecord,
  answer: LateAnswer,
  isSettled: IsSettled,
): Promise<Heard | undefined> {
  const { advice, reversal, lateApproval } = record;
  if (advice) {
    const answered = await judgeLateAdvice(record, answer, isSettled);
    return answered && { what: 'late answer to an advice', events: [answered] };
  }
  if (record.numberTaken) return judgeTakenNumber(record, answer);
  const order = reversalOrder(record);
  if (answer.approves(order)) return judgeApproval(record, answer);
  if (reversal !== 'queued' && reversal !== 'setAside') return undefined;
  // A reversal that was queued again is not concluded by the answer to an earlier one.
  if (reversal === 'queued' && lateApproval) return undefined;
  const outcome = answer.reversalOutcome(order);
  // "No record" counts only by the time when its request was sent, which a late answer does not tell. The next reversal
  // asks again.
  if (outcome.kind !== 'acknowledged') return undefined;
  const { responseCode } = outcome;
  // The host's own answer overrides what the bank said by telephone. If an approval was heard in the meantime, this
  // answer may be older than that approval. In that case only the answer to another reversal decides.
  const event: JournalEvent = lateApproval
    ? { kind: 'reversalQueued', reason: 'late answer' }
    : { kind: 'reversalAcknowledged', responseCode };
  return { what: 'late answer to a reversal', events: [event] };
}

function judgeApproval(
  { conclusion, hostOutcome, reversal, setAside }: TransactionRecord,
  { responseCode = '', rrn = '', reversing }: LateAnswer,
): Heard | undefined {
  // The transaction still runs. Its session, or recovery, decides, and both reverse an unknown outcome.
  if (!conclusion && !reversal) return undefined;
  // The same answer again; or the bank's books have the payment, as the operator has already learned.
  const stands = conclusion?.result === 'SUCCESS' && hostOutcome?.kind === 'approved' && !reversal;
  if (stands || setAside === 'POSTED') return undefined;
  const late: JournalEvent = { kind: 'approvedLate', responseCode, rrn };
  // If the reversal is in flight, its answer comes after this approval and counts.
  const again: JournalEvent[] = reversing ? [] : [{ kind: 'reversalQueued', reason: 'late approval' }];
  return { what: 'late approval', events: [late, ...again] };
}

/**
 * No message is sent under this number any more, and the operator has the case. The host's word is kept for whoever
 * asks the bank.
 */
function judgeTakenNumber(
  { numberTaken: _taken, ...record }: TransactionRecord,
  answer: LateAnswer,
): Heard | undefined {
  const { lateApproval, setAside, conclusion } = record;
  if (!conclusion || lateApproval || setAside === 'POSTED' || !answer.approves(reversalOrder(record))) return undefined;
  const { responseCode = '', rrn = '' } = answer;
  const late: JournalEvent = { kind: 'approvedLate', responseCode, rrn };
  const again: JournalEvent[] = setAside === undefined ? [] : [{ kind: 'reversalQueued', reason: 'late approval' }];
  return { what: 'late approval', events: [late, ...again] };
}
