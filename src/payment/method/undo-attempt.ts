import type { JournalEvent } from '../events/event.ts';
import { UnsendableOrder } from '../contracts/acquirer-host.ts';
import type { Pending } from '../contracts/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { SendAttempt } from './acquirer.ts';

/**
 * Builds the attempt for a queued reversal of a method without reversal messages: an unknown outcome is undone, or
 * resolved by enquiry. `undo`: one attempt; it returns the events that conclude it, or undefined if it must be
 * repeated. Throws UnsendableOrder.
 */
export function prepareUndo(
  message: Pending['message'],
  { id, numberTaken }: TransactionRecord,
  undo: () => Promise<readonly JournalEvent[] | undefined>,
): SendAttempt {
  if (message === 'advice') throw new UnsendableOrder(`transaction ${id} has an advice, and its acquirer takes none`);
  if (numberTaken) throw new UnsendableOrder(`transaction ${id} may be over: the journal is an older copy`);
  return async () => {
    const events = await undo();
    return events ? { kind: 'through', news: 'reversal acknowledged', events } : { kind: 'again' };
  };
}
