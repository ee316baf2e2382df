import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { JournalEvent } from '../../events/event.ts';
import type { AdviceOutcome } from '../../ports/acquirer-host.ts';
import type { TransactionRecord } from '../../records/record.ts';

/** It changes a sale that is settled as it was. */
export async function isTipOfSettled(
  { request: { type, originalId } }: TransactionRecord,
  isSettled: (id: TerminalTransactionId) => Promise<boolean>,
): Promise<boolean> {
  return type === 'TIP_ADJUST' && originalId !== undefined && isSettled(originalId);
}

/** Of a tip that is in no total: listed until the bank has said what became of it. */
export function judgeLateTip(
  { adviceAnswer, setAside }: TransactionRecord,
  outcome: AdviceOutcome,
): JournalEvent | undefined {
  if (outcome.kind !== 'acknowledged' || (adviceAnswer?.afterSettlement && setAside === undefined)) return undefined;
  const { kind: _posted, ...told } = outcome;
  return { kind: 'adviceAnswered', answer: 'rejected', ...told, afterSettlement: true };
}
