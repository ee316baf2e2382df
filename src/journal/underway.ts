import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalEvent, JournalledTransaction, StoredEvent } from '../events/event.ts';

/** After one of these events, a queued reversal is done. */
const through: readonly StoredEvent['event']['kind'][] = ['reversalAcknowledged', 'setAside', 'resolved', 'withdrawn'];

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
    if (isOver(all.map(({ event }) => event.kind))) this.#events.delete(id);
    else this.#events.set(id, all);
  }

  get transactions(): readonly JournalledTransaction[] {
    return [...this.#events].map(([id, events]) => ({ id, events }));
  }
}

function isOver(kinds: readonly StoredEvent['event']['kind'][]): boolean {
  const queued = kinds.lastIndexOf('reversalQueued');
  return kinds.includes('ended') && (queued < 0 || kinds.slice(queued).some((kind) => through.includes(kind)));
}
