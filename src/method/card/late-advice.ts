import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { JournalEvent } from '../../events/event.ts';
import type { LateAnswer } from '../../ports/late-answer.ts';
import type { TransactionRecord } from '../../records/record.ts';
import { isTipOfSettled, judgeLateTip } from './late-tip.ts';
import { adviceOrder } from './message.ts';
import { answeredEvent } from './send-advice.ts';

/** It counts in a batch that is open no more. */
export type IsSettled = (id: TerminalTransactionId) => Promise<boolean>;

/** The host's last word stands; that it posted the advice, against what it said or the bank said before. */
export async function judgeLateAdvice(
  record: TransactionRecord,
  answer: LateAnswer,
  isSettled: IsSettled,
): Promise<JournalEvent | undefined> {
  const outcome = answer.adviceOutcome(adviceOrder(record));
  if (outcome.kind !== 'acknowledged' && outcome.kind !== 'rejected') return undefined;
  const { advice, adviceAnswer, setAside } = record;
  const isNews =
    advice === 'queued' ||
    (advice === 'rejected' && outcome.kind === 'acknowledged') ||
    (advice === 'acknowledged' &&
      outcome.kind === 'rejected' &&
      setAside === undefined &&
      // It had it already, and did not say what it did with the first one.
      adviceAnswer?.reason === 'duplicate' &&
      !(await isSettled(record.id)));
  if (!isNews) return undefined;
  if (advice === 'rejected' && (await isTipOfSettled(record, isSettled))) return judgeLateTip(record, outcome);
  return answeredEvent(outcome);
}
