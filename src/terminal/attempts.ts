import type { JournalEvent } from '../events/event.ts';
import { UnsendableOrder } from '../ports/acquirer-host.ts';
import type { Pending } from '../ports/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import { triesBefore } from '../transaction/set-aside.ts';

/** How often the queued message was tried. */
export function attemptsOf(
  message: Pending['message'],
  record: Pick<TransactionRecord, 'reversalAttempts' | 'adviceAttempts'>,
): number {
  return message === 'reversal' ? record.reversalAttempts : record.adviceAttempts;
}

/** The event that counts an attempt. */
export function attemptEvent(message: Pending['message'], attempt: number): JournalEvent {
  return { kind: message === 'reversal' ? 'reversalSent' : 'adviceSent', attempt };
}

/**
 * Acquirers promise to reject with UnsendableOrder only. Another error may pass, so the message is repeated and keeps
 * its place in the queue. After `triesBefore` attempts it counts as unsendable.
 */
export async function runAttempt<T>(attempt: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnsendableOrder || attempt < triesBefore) throw error;
    throw new UnsendableOrder((error as Error).message, { cause: error });
  }
}
