import { type Conclusion, failure } from '../events/conclusion.ts';
import type { JournalEvent } from '../events/event.ts';
import { conclusionOf } from './decide.ts';
import { canBeReversed } from '../records/payment.ts';
import { mayBePosted, type TransactionRecord } from '../records/record.ts';

/**
 * The events that conclude a transaction which was found unfinished, wherever it was cut off. A payment in flight is
 * never resumed: the machine starts idle, and a request that may have reached the host is reversed. `reported`: the end
 * that this process has already reported to the POS, so that a repeated request gets the same answer. `prints`: there
 * is a printer.
 */
export function recoveryEvents(
  record: TransactionRecord,
  reported?: Conclusion,
  prints = false,
): readonly JournalEvent[] {
  const { conclusion, hostOutcome: outcome } = record;
  const reversal = reversalDue(record, 'restart');
  if (conclusion) return reversal;
  // After a wrong PIN the host's decline is on record, but the payment may have ended otherwise: the reported end
  // stands.
  if (outcome && outcome.kind !== 'approved' && outcome.kind !== 'unknown')
    return [{ kind: 'ended', ...(reported ?? conclusionOf(outcome)) }];
  const cut = cutOffEnd(record);
  const end = !reported || reported.result === 'SUCCESS' ? cut : knownEnd(record, reported);
  return [...reversal, { kind: 'ended', ...end }, ...(prints ? slipEvents(record, end) : [])];
}

/**
 * Queues the slip of a payment that may have been charged and is not certainly reversed, after a power cut or a silent
 * host. Customer and staff can clarify the payment with it. `end`: its conclusion, which is written with it.
 */
export function slipEvents(record: TransactionRecord, end: Conclusion): readonly JournalEvent[] {
  const { intent, request, reversal, receipt } = record;
  const isOpen = intent !== undefined && mayBePosted(record) && reversal !== 'acknowledged';
  const isDue = isOpen && end.outcome === 'error' && request.printedBy === 'terminal' && receipt === undefined;
  return isDue ? [{ kind: 'receiptQueued' }] : [];
}

/** Corrects UNKNOWN if nothing may be posted: a commit that reported an error may still have withdrawn the request. */
export function knownEnd(record: TransactionRecord, conclusion: Conclusion): Conclusion {
  const isKnown = conclusion.result === 'UNKNOWN' && !mayBePosted(record);
  if (!isKnown) return conclusion;
  return failure('ERROR', 'withdrawn', 'nothing was paid: the request had been withdrawn');
}

function cutOffEnd({ intent }: TransactionRecord): Conclusion {
  if (!intent) return failure('ERROR', 'restartedBeforeSending', 'the terminal restarted before the payment was sent');
  return canBeReversed(intent)
    ? failure('ERROR', 'restartedDuringPayment', 'the terminal restarted during the payment, it is reversed')
    : failure(
        'UNKNOWN',
        'restartedOutcomeUnknown',
        'the terminal restarted during the payment, its outcome is not known yet: enquire',
      );
}

/** The events that queue the reversal of a transaction that may be posted; empty if it is already queued or done. */
export function reversalDue(record: TransactionRecord, reason: string): readonly JournalEvent[] {
  if (record.reversal || !mayBePosted(record)) return [];
  const queued: JournalEvent = { kind: 'reversalQueued', reason };
  if (record.hostOutcome) return [queued];
  return [{ kind: 'answered', outcome: { kind: 'unknown', reason: 'interrupted' } }, queued];
}
