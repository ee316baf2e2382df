import type { JournalEvent } from '../events/event.ts';
import type { SetAside } from '../events/answer.ts';
import { failure } from '../events/conclusion.ts';
import { meansOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * So often a message has to be tried in vain before it may be set aside without a word of its host: some 25 minutes of retries. A
 * host that is down for a while is waited for.
 */
export const triesBefore = 30;

/** notWaiting: it came through, or was set aside already. tooEarly: its host may still take it. */
export type SetAsideRefusal = 'notWaiting' | 'tooEarly';

/**
 * Why the operator may not settle this one with the bank by telephone; nothing where that is the way out. `unsendable`: it can't be
 * brought to its host at all.
 */
export function setAsideRefusal(
  { reversal, advice, refusedWith, reversalAttempts, adviceAttempts, setAside, intent, conclusion }: TransactionRecord,
  unsendable: boolean,
): SetAsideRefusal | undefined {
  const rejected = advice === 'rejected' && setAside === undefined;
  if (reversal !== 'queued' && advice !== 'queued' && !rejected) return 'notWaiting';
  // No bank will ever answer for it: only the card itself knows, if it comes back.
  if (intent && meansOf(intent).undo === 'sameCard' && conclusion) return undefined;
  const tried = Math.max(reversalAttempts, adviceAttempts);
  return rejected || unsendable || refusedWith !== undefined || tried >= triesBefore ? undefined : 'tooEarly';
}

/** What is written of it. Where the POS was told UNKNOWN, a bank that has nothing makes it an ERROR, never a success. */
export function setAsideEvents(
  { conclusion }: Pick<TransactionRecord, 'conclusion'>,
  outcome: SetAside['outcome'],
): readonly JournalEvent[] {
  const told: JournalEvent = { kind: 'setAside', outcome };
  const known = conclusion?.result === 'UNKNOWN' && outcome === 'NOT_POSTED';
  return known ? [{ kind: 'ended', ...failure('ERROR', conclusion.message) }, told] : [told];
}
