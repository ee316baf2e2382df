import type { DeclineReason } from '../domain/decline-reason.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered } from './answer.ts';
import type { StoredEvent } from './event.ts';

/** Gives the reason for a code, from the tables of the acquirers and drivers. */
export type ReasonOf = (responseCode: string) => DeclineReason;

/**
 * Upgrades an event to today's form. Older versions wrote the code of a decline, or of an advice's answer, without its
 * reason, and told only by the shape of the answer who prints the receipt.
 */
export function upgradeEvent(stored: StoredEvent, reasonOf: ReasonOf): StoredEvent {
  const { at, event } = stored;
  if (event.kind === 'accepted' && !hasPrintedBy(event)) {
    return { at, event: { ...event, printedBy: event.shape === 'B' ? 'pos' : 'terminal' } };
  }
  if (event.kind === 'answered' && event.outcome.kind === 'declined' && !hasReason(event.outcome)) {
    const reason = reasonOf(event.outcome.responseCode);
    return { at, event: { ...event, outcome: { ...event.outcome, reason } } };
  }
  if (event.kind === 'adviceAnswered' && !hasReason(event)) return { at, event: upgradeAnswer(event, reasonOf) };
  return stored;
}

/** For an acknowledgement, the only reason is 'duplicate'. */
function upgradeAnswer(event: AdviceAnswered, reasonOf: ReasonOf): AdviceAnswered {
  const reason = reasonOf(event.responseCode);
  return event.answer === 'rejected' || reason === 'duplicate' ? { ...event, reason } : event;
}

function hasPrintedBy({ printedBy }: Partial<Accepted>): boolean {
  return printedBy !== undefined;
}

function hasReason({ reason }: { readonly reason?: DeclineReason }): boolean {
  return reason !== undefined;
}
