import { isDeepStrictEqual } from 'node:util';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type { AdviceOutcome } from '../../payment/contracts/acquirer-host.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { adviceOrder } from './message.ts';
import { answeredEvent } from './send-advice.ts';

/** Whether a transaction belongs to a batch that is not open any more. */
export type IsSettled = (id: TerminalTransactionId) => Promise<boolean>;

/**
 * Judges a late answer to an advice. The host's last answer stands; an acknowledgement overrides an earlier rejection
 * by the host or the bank.
 */
export async function judgeLateAdvice(
  record: TransactionRecord,
  answer: LateAnswer,
  isSettled: IsSettled,
): Promise<JournalEvent | undefined> {
  const outcome = answer.adviceOutcome(adviceOrder(record));
  if (outcome.kind === 'refused' || outcome.kind === 'unanswered' || outcome.kind === 'notSent') return undefined;
  const { advice, adviceAnswer, setAside } = record;
  const isNews =
    advice === 'queued' ||
    (advice === 'rejected' && saysPosted(outcome, record)) ||
    (advice === 'acknowledged' &&
      outcome.kind !== 'acknowledged' &&
      setAside === undefined &&
      // The host called it a duplicate, and did not say what it did with the first one.
      adviceAnswer?.reason === 'duplicate' &&
      !(await isSettled(record.id)));
  if (!isNews) return undefined;
  if (advice === 'rejected' && (await isTipOfSettled(record, isSettled))) return judgeLateTip(record, outcome);
  // Which of several attempts it answers can't be told.
  return answeredEvent(outcome, record.adviceAttempts <= 1);
}

/** Whether the host has posted the advice after all, or has posted another amount that it has not reported before. */
function saysPosted(outcome: AdviceOutcome, { adviceAnswer }: TransactionRecord): boolean {
  if (outcome.kind !== 'contradicted') return outcome.kind === 'acknowledged';
  return outcome.accepts && !isDeepStrictEqual(adviceAnswer?.otherAmount, outcome.otherAmount);
}

/** Whether this tip adjusts a sale that was settled without it. */
async function isTipOfSettled(
  { request: { type, originalId } }: TransactionRecord,
  isSettled: (id: TerminalTransactionId) => Promise<boolean>,
): Promise<boolean> {
  return type === 'TIP_ADJUST' && originalId !== undefined && isSettled(originalId);
}

/**
 * Judges a late answer to a tip that is in no total. The tip stays listed until the bank has said whether it is
 * charged.
 */
function judgeLateTip({ adviceAnswer, setAside }: TransactionRecord, outcome: AdviceOutcome): JournalEvent | undefined {
  if (adviceAnswer?.afterSettlement && setAside === undefined) return undefined;
  if (outcome.kind !== 'acknowledged' && outcome.kind !== 'contradicted') return undefined;
  return { ...answeredEvent(outcome, true), answer: 'rejected', afterSettlement: true };
}
