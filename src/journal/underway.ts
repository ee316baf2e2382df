import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalEvent, JournalledTransaction, StoredEvent } from '../payment/events/event.ts';
import { readableRecord } from '../payment/records/record.ts';

/**
 * A copy of the events of transactions that are unfinished or still to be reversed. All of them are in the journal. If
 * its files are removed, this is the only record of what hosts were asked.
 */
export class Underway {
  readonly #events = new Map<TerminalTransactionId, StoredEvent[]>();

  /** Notes events that are now in the journal. */
  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    const known = this.#events.get(id) ?? [];
    // A transaction that began in an earlier process is not known completely.
    if (known.length === 0 && events[0]?.kind !== 'accepted') return;
    const at = new Date().toISOString();
    const all = [...known, ...events.map((event) => ({ at, event }))];
    if (isOver(id, all)) this.#events.delete(id);
    else this.#events.set(id, all);
  }

  get transactions(): readonly JournalledTransaction[] {
    return [...this.#events].map(([id, events]) => ({ id, events }));
  }
}

function isOver(id: TerminalTransactionId, events: readonly StoredEvent[]): boolean {
  const record = readableRecord(id, events);
  return record?.conclusion !== undefined && record.reversal !== 'queued';
}
