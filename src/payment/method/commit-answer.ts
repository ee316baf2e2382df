import type { HostOutcome } from '../contracts/acquirer-host.ts';
import { type Conclusion, failure } from '../events/conclusion.ts';
import type { Journal } from '../contracts/journal.ts';
import type { JournalEvent } from '../events/event.ts';
import type { JournalledOutcome } from '../events/answer.ts';
import { conclusionEvents, conclusionOf } from '../transaction/decide.ts';
import type { Authorization } from '../transaction/machine.ts';
import type { Order } from './order.ts';

export type Written = Extract<Authorization, { kind: 'concluded' | 'unknown' }>;

/**
 * Commits the answer together with the conclusion of the transaction; an unknown outcome is committed together with its
 * reversal. `conclusion`: used where the outcome alone does not determine it. `unwritten`: the conclusion that is
 * reported if the journal fails. Never rejects.
 */
export async function commitAnswer(
  order: Order,
  outcome: JournalledOutcome,
  journal: Journal,
  conclusion: Conclusion = conclusionOf(outcome),
  unwritten: Conclusion = unwrittenAnswer,
  more: readonly JournalEvent[] = [],
): Promise<Written> {
  try {
    const stored = await journal.append(order.id, [...conclusionEvents(outcome, { ...order, conclusion }), ...more]);
    return outcome.kind === 'unknown' ? { kind: 'unknown', conclusion } : { kind: 'concluded', conclusion, stored };
  } catch {
    // The intent has no answer on disk, so recovery will reverse or resolve it: fail-safe for every answer of the host.
    return { kind: 'unknown', conclusion: unwritten };
  }
}

export const unwrittenAnswer = failure(
  'DATABASE_ERROR',
  'answerNotWritten',
  'the host’s answer could not be written, the payment is reversed',
);

/** Ends a transaction for which no host was asked. */
export async function commitConclusion(order: Order, conclusion: Conclusion, journal: Journal): Promise<Written> {
  await journal.append(order.id, [{ kind: 'ended', ...conclusion }]);
  return { kind: 'concluded', conclusion };
}

export function journalledOutcome(outcome: HostOutcome): JournalledOutcome {
  switch (outcome.kind) {
    case 'approved': {
      const { issuerData: _forTheCard, coveredMinor: _ofItsEvent, ...kept } = outcome;
      return kept;
    }
    case 'declined': {
      const { kind, reason, responseCode, rrn } = outcome;
      return { kind, reason, responseCode, rrn };
    }
    default:
      return outcome;
  }
}
