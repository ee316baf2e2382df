import type { JournalledOutcome } from '../events/answer.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { JournalEvent } from '../events/event.ts';
import { conclusionOf } from './decide.ts';

export interface Ending {
  readonly printsReceipt: boolean;
  /** Where the outcome alone does not determine it. */
  readonly conclusion?: Conclusion;
  /** Queued with the outcome: the advice of an approval without the host. */
  readonly queued?: readonly JournalEvent[];
}

/**
 * The events that end a transaction in one commit: the outcome, its conclusion, and the receipt of an approval. An
 * unknown outcome has its reversal in place of the conclusion.
 */
export function conclusionEvents(
  outcome: JournalledOutcome,
  { printsReceipt, conclusion = conclusionOf(outcome), queued = [] }: Ending,
): JournalEvent[] {
  const end: JournalEvent =
    outcome.kind === 'unknown' ? { kind: 'reversalQueued', reason: outcome.reason } : { kind: 'ended', ...conclusion };
  const isApproved = outcome.kind === 'approved' || outcome.kind === 'offline';
  return [{ kind: 'answered', outcome }, ...queued, end, ...(isApproved ? receiptEvents(printsReceipt) : [])];
}

/** Queues the receipt, if the terminal prints. */
export function receiptEvents(printsReceipt: boolean): JournalEvent[] {
  return printsReceipt ? [{ kind: 'receiptQueued' }] : [];
}
