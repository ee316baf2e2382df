import type { JournalEvent, UnreadableEvent } from './event.ts';

/**
 * The version of the events that this code writes, and the highest that it reads. It is raised for a field without which
 * an event would be misread. A new kind of event needs none: a version that does not know it refuses to read it. Events
 * without this number are of version 1.
 */
export const formatVersion = 1;

const kinds: Readonly<Record<JournalEvent['kind'], true>> = {
  accepted: true,
  tipChosen: true,
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
  signed: true,
  adviceQueued: true,
  adviceSent: true,
  adviceAnswered: true,
  ended: true,
  receiptQueued: true,
  receiptCutOff: true,
  receiptPrinted: true,
};

/** An event with its format version, to be written as JSON. */
export function withFormat(event: JournalEvent): object {
  return { format: formatVersion, ...event };
}

/** Parses an event of the journal. */
export function parseEvent(body: string): JournalEvent | UnreadableEvent {
  try {
    return readEvent(JSON.parse(body));
  } catch {
    return { kind: 'unreadable', reason: 'one of its events is not JSON', body };
  }
}

/**
 * Reads an event from its JSON. An event that this version does not understand becomes an UnreadableEvent, and is never
 * read as something else: then only its own transaction can't be read.
 */
export function readEvent(json: unknown): JournalEvent | UnreadableEvent {
  const { format = 1, ...event } = (json ?? {}) as { readonly format?: unknown; readonly kind?: unknown };
  const unreadable = (reason: string) => ({ kind: 'unreadable', reason, body: JSON.stringify(json) }) as const;
  if (typeof event.kind !== 'string') return unreadable('one of its events has no kind');
  if (typeof format !== 'number' || format > formatVersion) {
    return unreadable(
      `a newer version wrote one of its events: format ${String(format)}, this version reads ${formatVersion}`,
    );
  }
  if (Object.hasOwn(kinds, event.kind)) return event as JournalEvent;
  return unreadable(`this version does not know the kind of one of its events: ${event.kind}`);
}
