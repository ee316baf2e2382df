import type { JournalEvent } from '../events/event.ts';
import type { SetAside } from '../events/answer.ts';
import { failure } from '../events/conclusion.ts';
import { meansOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * A message must have failed this often (about 25 minutes of attempts) before it may be set aside without an answer
 * from its host. A host that is down for a shorter time is waited for.
 */
export const triesBefore = 30;

/**
 * notWaiting: the message was delivered, or was set aside before. tooEarly: its host may still accept it. batchFull: it
 * is posted, and the open batch has no room for it before it is settled. endedMeanwhile: its outcome has become known.
 */
export type SetAsideRefusal = 'notWaiting' | 'tooEarly' | 'batchFull' | 'endedMeanwhile';

/**
 * Why the operator may not conclude this transaction with the bank by telephone; undefined if that is allowed.
 * `unsendable`: no message to its host can be built.
 */
export function setAsideRefusal(
  { reversal, advice, refusedWith, reversalAttempts, adviceAttempts, setAside, intent, conclusion }: TransactionRecord,
  unsendable: boolean,
): SetAsideRefusal | undefined {
  const rejected = advice === 'rejected' && setAside === undefined;
  if (reversal !== 'queued' && advice !== 'queued' && !rejected) return 'notWaiting';
  // No bank can answer for it: only the card itself can tell, if it comes back.
  if (intent && meansOf(intent).undo === 'sameCard' && conclusion) return undefined;
  const tried = Math.max(reversalAttempts, adviceAttempts);
  return rejected || unsendable || refusedWith !== undefined || tried >= triesBefore ? undefined : 'tooEarly';
}

/**
 * The events of the operator's decision. If the POS was told UNKNOWN and the bank has no posting, the result becomes
 * ERROR, never a success. `isVerified`: the acquirer's own record was read, and contradicts nothing; without it, what
 * only the card can tell stays UNKNOWN.
 */
export function setAsideEvents(
  { conclusion, intent }: Pick<TransactionRecord, 'conclusion' | 'intent'>,
  outcome: SetAside['outcome'],
  isVerified: boolean,
): readonly JournalEvent[] {
  if (!isVerified && outcome === 'NOT_POSTED' && intent && meansOf(intent).undo === 'sameCard')
    return [{ kind: 'setAside', outcome, unverified: true }];
  const told: JournalEvent = { kind: 'setAside', outcome };
  const known = conclusion?.result === 'UNKNOWN' && outcome === 'NOT_POSTED';
  return known ? [{ kind: 'ended', ...failure('ERROR', 'confirmedNotPosted', conclusion.message) }, told] : [told];
}
