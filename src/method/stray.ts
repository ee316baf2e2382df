import { ownPosIds } from '../domain/identifiers.ts';
import type { Accepted } from '../events/accepted.ts';
import type { CardIntent, WalletIntent } from '../events/intent.ts';
import type { JournalEvent } from '../events/event.ts';
import type { LateAnswer } from '../ports/late-answer.ts';
import { failure } from '../events/conclusion.ts';
import { cardIntentOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * The try of this transaction that the host has declined, and that another try follows or may follow. It is another message under another
 * number: what its host says of it afterwards says nothing of the try that counts.
 */
export function declinedTry(
  { earlier = [], intent, hostOutcome, conclusion, reversal }: TransactionRecord,
  { acquirerId, stan }: LateAnswer,
): CardIntent | undefined {
  // A try that its host could not decide is over, and reversed already: no other follows it.
  const isDeclined = hostOutcome?.kind === 'declined' && !conclusion && !reversal;
  const tries = isDeclined && intent ? [...earlier, intent] : earlier;
  return cardIntentOf(tries.findLast((each) => each.acquirerId === acquirerId && each.trace.stan === Number(stan)));
}

/** A transaction of the terminal's own, whose reversal is queued: the try that was approved after all. */
export function strayOf(
  { id, request }: TransactionRecord,
  intent: CardIntent | WalletIntent,
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
  const conclusion = failure('ERROR', `a try of transaction ${id} that its host had called over`);
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
