import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type { AdviceOutcome } from '../../payment/contracts/acquirer-host.ts';
import { answeredEvent } from './send-advice.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';

/** Whether this tip adjusts a sale that was settled without it. */
export async function isTipOfSettled(
  { request: { type, originalId } }: TransactionRecord,
  isSettled: (id: TerminalTransactionId) => Promise<boolean>,
): Promise<boolean> {
  return type === 'TIP_ADJUST' && originalId !== undefined && isSettled(originalId);
}

/**
 * Judges a late answer to a tip that is in no total. The tip stays listed until the bank has said whether it is
 * charged.
 */
export function judgeLateTip(
  { adviceAnswer, setAside }: TransactionRecord,
  outcome: AdviceOutcome,
): JournalEvent | undefined {
  if (adviceAnswer?.afterSettlement && setAside === undefined) return undefined;
  if (outcome.kind !== 'acknowledged' && outcome.kind !== 'contradicted') return undefined;
  return { ...answeredEvent(outcome, true), answer: 'rejected', afterSettlement: true };
}
