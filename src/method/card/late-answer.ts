import type { JournalEvent } from '../../events/event.ts';
import type { LateAnswer } from '../../ports/late-answer.ts';
import type { TransactionRecord } from '../../records/record.ts';
import { type IsSettled, judgeLateAdvice } from './late-advice.ts';
import { reversalOrder } from './message.ts';

export type LateNews = 'late approval' | 'late answer to an advice' | 'late answer to a reversal';

interface Heard {
  readonly what: LateNews;
  readonly events: readonly JournalEvent[];
}

/** What an answer changes of the transaction with its number; nothing where it says nothing new. */
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
  // A reversal that was queued again is not answered by what was said to the one before.
  if (reversal !== 'queued' || lateApproval) return undefined;
  const outcome = answer.reversalOutcome(order);
  // "No record" proves something only by when its question was sent, which it does not say: the next one will be asked in time.
  if (outcome.kind !== 'acknowledged') return undefined;
  const { responseCode } = outcome;
  return { what: 'late answer to a reversal', events: [{ kind: 'reversalAcknowledged', responseCode }] };
}

function judgeApproval(
  { conclusion, hostOutcome, reversal, setAside }: TransactionRecord,
  { responseCode = '', rrn = '', reversing }: LateAnswer,
): Heard | undefined {
  // It runs still: whoever is at it decides, or its recovery, and both reverse what is in doubt.
  if (!conclusion && !reversal) return undefined;
  // The answer that it had, once more; or the bank's books, which the operator has asked already.
  const stands = conclusion?.result === 'SUCCESS' && hostOutcome?.kind === 'approved' && !reversal;
  if (stands || setAside === 'POSTED') return undefined;
  const late: JournalEvent = { kind: 'approvedLate', responseCode, rrn };
  // The reversal that is in flight is answered behind this.
  const again: JournalEvent[] = reversing ? [] : [{ kind: 'reversalQueued', reason: 'late approval' }];
  return { what: 'late approval', events: [late, ...again] };
}

/** No message is made of it any more, and the operator has it: what the host says now is for whoever asks the bank. */
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
