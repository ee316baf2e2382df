import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalEvent, JournalledTransaction, StoredEvent } from '../events/event.ts';

/** After these nothing of a queued reversal is left to be done. */
const through: readonly StoredEvent['event']['kind'][] = ['reversalAcknowledged', 'setAside', 'resolved', 'withdrawn'];

/**
 * What this process has written of transactions that are not over, or are still to be reversed. All of it is in the journal; where its
 * files are taken away, this is the only one that knows what was asked of a host.
 */
export class Underway {
  readonly #events = new Map<TerminalTransactionId, StoredEvent[]>();

  /** These stand in the journal. */
  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    const known = this.#events.get(id) ?? [];
    // What began in an earlier process is not known whole.
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
