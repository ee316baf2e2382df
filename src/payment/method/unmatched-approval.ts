import { ownPosIds } from '../../base/domain/identifiers.ts';
import type { Accepted } from '../events/accepted.ts';
import type { CardIntent, Intent } from '../events/intent.ts';
import type { JournalEvent } from '../events/event.ts';
import type { LateAnswer } from '../contracts/late-answer.ts';
import { failure } from '../events/conclusion.ts';
import { cardIntentOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * The declined attempt of this transaction to which a late answer belongs, if another attempt follows or may follow it.
 * That attempt is another message with another trace number: a late answer to it is not about the attempt that counts.
 */
export function declinedTry(
  { earlier = [], intent, hostOutcome, conclusion, reversal }: TransactionRecord,
  { acquirerId, stan }: LateAnswer,
): CardIntent | undefined {
  // An attempt that its host could not decide has ended and is already being reversed: no other attempt follows it.
  const isDeclined = hostOutcome?.kind === 'declined' && !conclusion && !reversal;
  const tries = isDeclined && intent ? [...earlier, intent] : earlier;
  return cardIntentOf(tries.findLast((each) => each.acquirerId === acquirerId && each.trace.stan === Number(stan)));
}

/** Builds a transaction of the terminal's own for the attempt that was approved after all, with its reversal queued. */
export function unmatchedApprovalOf(
  { id, request }: TransactionRecord,
  intent: Intent,
  { responseCode = '', rrn = '' }: Pick<LateAnswer, 'responseCode' | 'rrn'>,
): { readonly accepted: Accepted; readonly events: readonly JournalEvent[] } {
  const { stan } = intent.trace;
  const accepted: Accepted = {
    ...request,
    posId: ownPosIds.terminal,
    messageId: `${id} ${intent.acquirerId} ${stan}`,
    digest: 'stray',
    shape: 'A',
    printedBy: 'terminal',
    originalId: id,
    isStray: true,
  };
  const conclusion = failure('ERROR', 'withdrawn', `a late approval of an attempt of transaction ${id} that had ended`);
  return {
    accepted,
    events: [
      intent,
      { kind: 'approvedLate', responseCode, rrn },
      { kind: 'reversalQueued', reason: 'late approval' },
      { kind: 'ended', ...conclusion },
    ],
  };
}
