import type { JournalEvent } from '../ports/journal.ts';
import { concluded, failure } from './decide.ts';
import type { TransactionRecord } from './record.ts';

/**
 * What must be written for a transaction that a restart found unfinished, whatever the point of the cut. In-flight
 * payments are never resumed: the machine starts idle, and what may have reached the host is reversed.
 */
export function recovered(record: TransactionRecord): readonly JournalEvent[] {
  if (record.conclusion) return [];
  if (!record.intent)
    return [{ kind: 'ended', ...failure('ERROR', 'the terminal restarted before the card was sent') }];
  const events: JournalEvent[] = [];
  const outcome = record.hostOutcome;
  if (outcome?.kind === 'declined' || outcome?.kind === 'notSent') return [{ kind: 'ended', ...concluded(outcome) }];
  if (!outcome) events.push({ kind: 'answered', outcome: { kind: 'unknown', reason: 'interrupted' } });
  if (!record.reversal) events.push({ kind: 'reversalQueued', reason: 'restart' });
  events.push({ kind: 'ended', ...failure('ERROR', 'the terminal restarted during the payment, it is reversed') });
  return events;
}
