import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered } from './answer.ts';
import type { Conclusion } from './conclusion.ts';
import type { StoredEvent } from './event.ts';

/** Gives the reason for a code, from the tables of the acquirers and drivers. */
export type ReasonOf = (responseCode: string) => DeclineReason;

/**
 * Upgrades an event to today's form. Older versions wrote the code of a decline, or of an advice's answer, without its
 * reason, told only by the shape of the answer who prints the receipt, and gave the reason of an end in words alone.
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
  if (event.kind === 'ended' && event.result !== 'SUCCESS' && !hasReason(event)) {
    return { at, event: { ...event, reason: reasonOfEnd(event, reasonOf) } };
  }
  if (event.kind === 'adviceAnswered' && !hasReason(event)) return { at, event: upgradeAnswer(event, reasonOf) };
  return stored;
}

/** For an acknowledgement, the only reason is 'duplicate'. */
function upgradeAnswer(event: AdviceAnswered, reasonOf: ReasonOf): AdviceAnswered {
  const reason = reasonOf(event.responseCode);
  return event.answer === 'rejected' || reason === 'duplicate' ? { ...event, reason } : event;
}

/** The words told who cancelled. Other ends are told by the host's code, or else by their words. */
function reasonOfEnd({ result, code, message }: Conclusion, reasonOf: ReasonOf): Reason {
  if (result === 'DECLINED' && code > 1000) return reasonOf(String(code - 1000).padStart(2, '0'));
  if (result === 'TIMEOUT') return 'customerTimeout';
  if (result !== 'TRANSACTION_ALREADY_CANCEL') return 'unspecified';
  if (message.includes('POS')) return 'cancelledByPos';
  if (message.includes('merchant')) return 'cancelledByMerchant';
  return message.includes('customer') ? 'cancelledByCustomer' : 'terminalRestarting';
}

function hasPrintedBy({ printedBy }: Partial<Accepted>): boolean {
  return printedBy !== undefined;
}

function hasReason({ reason }: { readonly reason?: Reason }): boolean {
  return reason !== undefined;
}
