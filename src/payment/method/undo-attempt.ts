import type { JournalEvent } from '../events/event.ts';
import { UnsendableOrder } from '../contracts/acquirer-host.ts';
import type { Pending } from '../contracts/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { SendAttempt } from './acquirer.ts';

/**
 * The end of one attempt: the events that conclude the transaction; 'open' if its host has answered, and the answer
 * leaves the outcome open; undefined if the attempt must be repeated before anything else is sent.
 */
export type UndoEnd = readonly JournalEvent[] | 'open' | undefined;

/**
 * Builds the attempt for a queued reversal of a method without reversal messages: an unknown outcome is undone, or
 * resolved by enquiry. `undo`: one attempt. Throws UnsendableOrder.
 */
export function prepareUndo(
  message: Pending['message'],
  { id, numberTaken }: TransactionRecord,
  undo: () => Promise<UndoEnd>,
): SendAttempt {
  if (message === 'advice') throw new UnsendableOrder(`transaction ${id} has an advice, and its acquirer takes none`);
  if (numberTaken) throw new UnsendableOrder(`transaction ${id} may be over: the journal is an older copy`);
  return async () => {
    const end = await undo();
    if (end === 'open') return { kind: 'again', isOpen: true };
    return end ? { kind: 'through', news: 'reversal acknowledged', events: end } : { kind: 'again' };
  };
}
