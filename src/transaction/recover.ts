import { type Conclusion, failure } from '../events/conclusion.ts';
import type { JournalEvent } from '../events/event.ts';
import { conclusionOf } from './decide.ts';
import { canBeReversed, meansOf } from '../records/payment.ts';
import { mayBePosted, type TransactionRecord } from '../records/record.ts';

/**
 * What must be written for a transaction that was found unfinished, whatever the point of the cut. In-flight payments are
 * never resumed: the machine starts idle, and what may have reached the host is reversed. `told` is the end that the POS
 * has heard already, where this process told it: the same request again then gets the same answer. `prints`: there is a printer.
 */
export function recoveryEvents(record: TransactionRecord, told?: Conclusion, prints = false): readonly JournalEvent[] {
  const { conclusion, hostOutcome: outcome } = record;
  const reversal = reversalDue(record, 'restart');
  if (conclusion) return reversal;
  // After a wrong PIN the host's word is on record, and the payment may have ended otherwise: what was told stands.
  if (outcome && outcome.kind !== 'approved' && outcome.kind !== 'unknown')
    return [{ kind: 'ended', ...(told ?? conclusionOf(outcome)) }];
  const cut = cutOffEnd(record);
  const end = !told || told.result === 'SUCCESS' ? cut : knownEnd(record, told);
  return [...reversal, { kind: 'ended', ...end }, ...(prints ? staffSlip(record, end) : [])];
}

/** What may have been taken from a card that is gone: whoever will have to answer its holder has it on paper. */
function staffSlip({ intent, request }: TransactionRecord, { result }: Conclusion): readonly JournalEvent[] {
  const isDue =
    intent && meansOf(intent).undo === 'sameCard' && result === 'UNKNOWN' && request.printedBy === 'terminal';
  return isDue ? [{ kind: 'receiptQueued' }] : [];
}

/** Unknown is only what was sent: a commit that was said to fail may have withdrawn it all the same. */
export function knownEnd(record: TransactionRecord, conclusion: Conclusion): Conclusion {
  const isKnown = conclusion.result === 'UNKNOWN' && !mayBePosted(record);
  if (!isKnown) return conclusion;
  return failure('ERROR', 'nothing was paid: what had been sent was withdrawn');
}

function cutOffEnd({ intent }: TransactionRecord): Conclusion {
  if (!intent) return failure('ERROR', 'the terminal restarted before the payment was sent');
  return canBeReversed(intent)
    ? failure('ERROR', 'the terminal restarted during the payment, it is reversed')
    : failure('UNKNOWN', 'the terminal restarted during the payment, what became of it is not known yet: enquire');
}

/** The events by which the reversal of what may be posted is queued; nothing where it is queued or through already. */
export function reversalDue(record: TransactionRecord, reason: string): readonly JournalEvent[] {
  if (record.reversal || !mayBePosted(record)) return [];
  const queued: JournalEvent = { kind: 'reversalQueued', reason };
  if (record.hostOutcome) return [queued];
  return [{ kind: 'answered', outcome: { kind: 'unknown', reason: 'interrupted' } }, queued];
}
