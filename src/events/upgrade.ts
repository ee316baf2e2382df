import type { DeclineReason } from '../domain/decline-reason.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered } from './answer.ts';
import type { StoredEvent } from './event.ts';

/** The reason behind a code, from the tables of the acquirers and drivers. */
export type ReasonOf = (responseCode: string) => DeclineReason;

/**
 * An event as it is written today. Older versions wrote the code of a decline, or of an advice's answer, without its reason, and of who
 * prints the receipt only the shape of the answer.
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

/** Of what was acknowledged, only that it was a duplicate is a reason. */
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
