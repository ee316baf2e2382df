import type { JournalEvent, UnreadableEvent } from './event.ts';

/**
 * The version of the events that this code writes, and the highest that it reads. It goes up with a new kind of event, and with a field
 * without which an event would be misread. An event of before this number was written has none, and is of version 1.
 */
export const formatVersion = 1;

const kinds: Readonly<Record<JournalEvent['kind'], true>> = {
  accepted: true,
  intent: true,
  answered: true,
  reversalQueued: true,
  reversalSent: true,
  reversalAcknowledged: true,
  hostRefused: true,
  setAside: true,
  approvedLate: true,
  numberTaken: true,
  orderClosed: true,
  orderLookedAt: true,
  withdrawn: true,
  resolved: true,
  cardCompleted: true,
  adviceQueued: true,
  adviceSent: true,
  adviceAnswered: true,
  ended: true,
  receiptQueued: true,
  receiptPrinted: true,
};

/** An event with the version of its format, to be written as JSON. */
export function withFormat(event: JournalEvent): object {
  return { format: formatVersion, ...event };
}

/** What stands in the journal for an event. */
export function parseEvent(body: string): JournalEvent | UnreadableEvent {
  try {
    return readEvent(JSON.parse(body));
  } catch {
    return { kind: 'unreadable', reason: 'an event of it is no JSON', body };
  }
}

/**
 * An event out of its JSON. What this version does not understand is told as that, and never read as something else: its transaction
 * can't be read then, and no other suffers.
 */
export function readEvent(json: unknown): JournalEvent | UnreadableEvent {
  const { format = 1, ...event } = (json ?? {}) as { readonly format?: unknown; readonly kind?: unknown };
  const unreadable = (reason: string) => ({ kind: 'unreadable', reason, body: JSON.stringify(json) }) as const;
  if (typeof event.kind !== 'string') return unreadable('an event of it has no kind');
  if (typeof format !== 'number' || format > formatVersion) {
    return unreadable(
      `a newer version wrote an event of it: format ${String(format)}, this version reads ${formatVersion}`,
    );
  }
  if (Object.hasOwn(kinds, event.kind)) return event as JournalEvent;
  return unreadable(`this version does not know an event of it: ${event.kind}`);
}
