import type { JournalEvent } from '../events/event.ts';
import { UnsendableOrder } from '../ports/acquirer-host.ts';
import type { Pending } from '../ports/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import { triesBefore } from '../transaction/set-aside.ts';

/**
 * The count of attempts on disk ends here, and attempts beyond it are journalled only as long as they count for the
 * operator's decision: an Octopus card may never come back, a host may refuse for ever, and the journal must not grow
 * with each attempt. The count is high enough to mark each later attempt as a repeat, after a restart too.
 */
export const attemptsWritten = 100;

/** Why the queue is sent: its own timer, or a payment or settlement that wants it empty. */
export type Cause = 'timer' | 'extra';

/** `attempt`: from 1. `timed`: those of the timer, with this one. `event`: to be written before it is sent, if any. */
interface NextAttempt {
  readonly attempt: number;
  readonly timed: number;
  readonly event?: JournalEvent;
}

export function nextAttempt(
  message: Pending['message'],
  { reversalAttempts, adviceAttempts, timedAttempts = 0 }: TransactionRecord,
  cause: Cause,
): NextAttempt {
  const isReversal = message === 'reversal';
  const attempt = (isReversal ? reversalAttempts : adviceAttempts) + 1;
  const timed = timedAttempts + (cause === 'timer' ? 1 : 0);
  const isWritten = attempt <= attemptsWritten || (cause === 'timer' && timed <= triesBefore);
  if (!isWritten) return { attempt, timed };
  const event: JournalEvent = {
    kind: isReversal ? 'reversalSent' : 'adviceSent',
    attempt: Math.min(attempt, attemptsWritten),
    ...(cause === 'extra' ? { isExtra: true } : {}),
  };
  return { attempt, timed, event };
}

/**
 * Acquirers promise to reject with UnsendableOrder only. Another error may pass, so the message is repeated and keeps
 * its place in the queue. After `triesBefore` attempts of the timer (`timed`) it counts as unsendable.
 */
export async function runAttempt<T>(timed: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnsendableOrder || timed < triesBefore) throw error;
    throw new UnsendableOrder((error as Error).message, { cause: error });
  }
}
