import type { JournalEvent } from '../events/event.ts';
import type { SetAside } from '../events/answer.ts';
import { failure } from '../events/conclusion.ts';
import { instrumentOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * The number of times that the queue's own timer must have sent a message (about 25 minutes) before it may be set aside
 * without an answer from its host. A shorter outage of the host does not need the operator. Attempts for payments do
 * not count, because a busy shop would shorten this time.
 */
export const triesBefore = 30;

/**
 * notWaiting: the message was delivered, or was set aside before. tooEarly: its host may still accept it. batchFull: it
 * is posted, and the open batch has no room for it until that batch is settled. endedMeanwhile: its outcome has become
 * known.
 */
export type SetAsideRefusal = 'notWaiting' | 'tooEarly' | 'batchFull' | 'endedMeanwhile';

/**
 * Why the operator may not conclude this transaction with the bank by telephone; undefined if that is allowed.
 * `unsendable`: no message to its host can be built.
 */
export function setAsideRefusal(
  { reversal, advice, refusedWith, timedAttempts = 0, setAside, intent, conclusion }: TransactionRecord,
  unsendable: boolean,
): SetAsideRefusal | undefined {
  const rejected = advice === 'rejected' && setAside === undefined;
  if (reversal !== 'queued' && advice !== 'queued' && !rejected) return 'notWaiting';
  // No bank can answer for it: only the card itself shows the outcome, if it comes back.
  if (intent && instrumentOf(intent).undo === 'sameCard' && conclusion) return undefined;
  const isTried = timedAttempts >= triesBefore;
  return rejected || unsendable || refusedWith !== undefined || isTried ? undefined : 'tooEarly';
}

/**
 * The events of the operator's decision. If UNKNOWN was reported to the POS and the bank has no posting, the result
 * becomes ERROR, never SUCCESS. `isVerified`: the acquirer's own record was read and does not contradict the decision.
 * If it was not read, an outcome that only the card can show stays UNKNOWN.
 */
export function setAsideEvents(
  record: Pick<TransactionRecord, 'conclusion' | 'intent' | 'reversal' | 'numberTaken'>,
  outcome: SetAside['outcome'],
  isVerified: boolean,
): readonly JournalEvent[] {
  const { conclusion, intent } = record;
  if (!isVerified && outcome === 'NOT_POSTED' && intent && instrumentOf(intent).undo === 'sameCard')
    return [{ kind: 'setAside', outcome, unverified: true }];
  const open = outcome === 'NOT_POSTED' ? openOrder(record) : [];
  const known = conclusion?.result === 'UNKNOWN' && outcome === 'NOT_POSTED';
  const ended: JournalEvent[] = known
    ? [{ kind: 'ended', ...failure('ERROR', 'confirmedNotPosted', conclusion.message) }]
    : [];
  return [...ended, { kind: 'setAside', outcome }, ...open];
}

/**
 * An unpaid wallet order may be paid after the bank was asked, until its host closes it: so it is closed and enquired
 * later. So is a refund or void, which the host may carry out later. If the journal is an older copy, nothing is sent,
 * because the payment may have been reported.
 */
function openOrder({
  intent,
  reversal,
  numberTaken,
}: Pick<TransactionRecord, 'intent' | 'reversal' | 'numberTaken'>): JournalEvent[] {
  if (reversal !== 'queued' || numberTaken || !intent || !('wallet' in intent)) return [];
  const { operation, acquirerId, trace, isFinal } = intent;
  if (operation === 'voidRefund') return [];
  // A refund can't be closed, only found out.
  const isOnlyAsked = isFinal === true || operation !== 'sale';
  return [
    { kind: 'orderClosed', acquirerId, stan: trace.stan, ...(isOnlyAsked ? { isFinal: true } : {}), isOpen: true },
  ];
}
