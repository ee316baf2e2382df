import { isDeepStrictEqual } from 'node:util';
import type { JournalEvent } from '../events/event.ts';
import { UnsendableOrder } from '../contracts/acquirer-host.ts';
import type { SendResult } from '../method/acquirer.ts';
import type { Pending } from '../contracts/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import { triesBefore } from '../transaction/set-aside.ts';

/**
 * The highest number of an attempt on disk. Attempts beyond it are journalled only while they count for the operator's
 * decision, because the journal must not grow with each attempt: an Octopus card may never come back, and a host may
 * never accept. The number is high enough to mark each later attempt as a repeat, after a restart too.
 */
const attemptsWritten = 100;

/** Why the queue is sent. timer: by its own timer. extra: for a payment or settlement that needs it empty. */
export type Cause = 'timer' | 'extra';

/**
 * `attempt`: counted from 1. `timed`: the number of attempts that the timer made, including this one. `event`: must be
 * written before the attempt is sent; absent if nothing is to be written.
 */
interface NextAttempt {
  readonly attempt: number;
  readonly timed: number;
  readonly event?: JournalEvent;
}

export function nextAttempt(
  message: Pending['message'],
  { reversalAttempts, adviceAttempts, timedAttempts = 0 }: TransactionRecord,
  cause: Cause,
  isEnquiry: boolean,
): NextAttempt {
  const isReversal = message === 'reversal';
  const attempt = (isReversal ? reversalAttempts : adviceAttempts) + 1;
  const timed = timedAttempts + (cause === 'timer' ? 1 : 0);
  const isWritten = attempt <= attemptsWritten || (cause === 'timer' && timed <= triesBefore);
  if (!isWritten) return { attempt, timed };
  const fields = {
    attempt: Math.min(attempt, attemptsWritten),
    ...(cause === 'extra' ? { isExtra: true as const } : {}),
  };
  const event: JournalEvent = isReversal
    ? { kind: 'reversalSent', ...fields, ...(isEnquiry ? { isEnquiry } : {}) }
    : { kind: 'adviceSent', ...fields };
  return { attempt, timed, event };
}

/** The event for a refusal; undefined if there is none to write. A repeated refusal is written once. */
export function refusalOf(
  { refusedWith, refusedAmount }: TransactionRecord,
  attempt: number,
  result: SendResult,
): JournalEvent | undefined {
  if (result.kind !== 'again' || result.refusedWith === undefined || attempt > attemptsWritten) return undefined;
  const { refusedWith: responseCode, otherAmount } = result;
  if (responseCode === refusedWith && isDeepStrictEqual(otherAmount, refusedAmount)) return undefined;
  return { kind: 'hostRefused', responseCode, ...(otherAmount ? { otherAmount } : {}) };
}

/** How often the queue with this message at its head had failed before a restart; the pause grows with it. */
export function failuresBefore(
  message: Pending['message'],
  { reversalAttempts, adviceAttempts, timedAttempts = 0 }: TransactionRecord,
): number {
  const attempts = message === 'reversal' ? reversalAttempts : adviceAttempts;
  // The first attempt, which sets the timer, is not one of the timer's.
  return attempts === 0 ? 0 : timedAttempts + 1;
}

/**
 * Acquirers promise to reject with UnsendableOrder only. Another error may be temporary, so the message is repeated and
 * keeps its place in the queue. After `triesBefore` attempts of the timer (`timed`) it counts as unsendable.
 */
export async function runAttempt<T>(timed: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnsendableOrder || timed < triesBefore) throw error;
    throw new UnsendableOrder((error as Error).message, { cause: error });
  }
}
