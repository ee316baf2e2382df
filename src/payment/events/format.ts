import { optionEvents } from '../../options/contracts.ts';
import type { JournalEvent, StoredEvent, UnreadableEvent } from './event.ts';
import { hasShape } from './shapes.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { Accepted } from './accepted.ts';
import type { AdviceAnswered } from './answer.ts';
import type { Conclusion } from './conclusion.ts';

/**
 * The formats of events. Each entry is the journal schema that introduces the format; it is not written to a journal
 * with an earlier schema, which an older version may read. A new field needs a new format only if an event would be
 * misread without it. A new kind needs a line in `kinds` instead. An event without a format number has the first
 * format.
 */
const formats: readonly number[] = [1];

/** The highest format that this code reads. */
export const formatVersion = formats.length;

/**
 * The kinds of events, each with the journal schema that introduces it; versions with an earlier schema refuse to read
 * it.
 */
const kinds: Readonly<Record<JournalEvent['kind'], number>> = {
  ...sinceOf(optionEvents),
  accepted: 1,
  optionAnswered: 23,
  intent: 1,
  answered: 1,
  reversalQueued: 1,
  reversalSent: 1,
  reversalAcknowledged: 1,
  hostRefused: 1,
  setAside: 1,
  approvedLate: 1,
  numberTaken: 1,
  orderClosed: 1,
  orderLookedAt: 1,
  withdrawn: 1,
  resolved: 1,
  givenBackInCash: 21,
  settledWithCustomer: 22,
  partlyApproved: 24,
  cardCompleted: 1,
  adviceQueued: 1,
  adviceSent: 1,
  adviceAnswered: 1,
  ended: 1,
  receiptQueued: 1,
  receiptCutOff: 20,
  receiptPrinted: 1,
};

/** The kinds of the options' events. */
function sinceOf<Kind extends string>(
  events: Readonly<Record<Kind, { readonly since: number }>>,
): Readonly<Record<Kind, number>> {
  const each = Object.entries<{ readonly since: number }>(events).map(([kind, { since }]) => [kind, since] as const);
  return Object.fromEntries(each) as Readonly<Record<Kind, number>>;
}

/** Whether the versions that read a journal of this schema know events of this kind. */
export function isKnownAt(kind: JournalEvent['kind'], schema: number): boolean {
  // A kind that this version does not know has no entry: its reader decides.
  return !(kinds[kind] > schema);
}

/** An event with the format version of this schema, to be written as JSON. */
export function withFormat(event: JournalEvent, schema: number): object {
  return { format: formats.filter((since) => since <= schema).length, ...event };
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
 * read as something else: then only its own transaction can't be read. Its reason, which answers repeat, has none of
 * its values: in a damaged event they may be anything.
 */
export function readEvent(json: unknown): JournalEvent | UnreadableEvent {
  const { format = 1, ...event } = (json ?? {}) as { readonly format?: unknown; readonly kind?: unknown };
  const unreadable = (reason: string) => ({ kind: 'unreadable', reason, body: JSON.stringify(json) }) as const;
  if (typeof event.kind !== 'string') return unreadable('one of its events has no kind');
  if (typeof format !== 'number' || format > formatVersion) {
    return unreadable(`a newer version wrote one of its events: this version reads format ${formatVersion}`);
  }
  if (Object.hasOwn(kinds, event.kind)) {
    return hasShape(event as JournalEvent) ? (event as JournalEvent) : unreadable('one of its events is damaged');
  }
  return unreadable('this version does not know the kind of one of its events');
}

/** An event with the time at which it was written. If that time is damaged, the event can't be read. */
export function storedEvent(at: string, event: JournalEvent | UnreadableEvent): StoredEvent {
  if (!Number.isNaN(Date.parse(at))) return { at, event };
  const body = event.kind === 'unreadable' ? event.body : JSON.stringify(event);
  return { at: noTime, event: { kind: 'unreadable', reason: 'the time of one of its events is damaged', body } };
}

/** Sorts before every time at which an event was written. */
const noTime = '1970-01-01T00:00:00.000Z';

/** Gives the reason for a code, from the tables of the acquirers and drivers. */
export type ReasonOf = (responseCode: string) => DeclineReason;

/**
 * Upgrades an event to today's form. Older versions wrote the code of a decline, or of an advice's answer, without its
 * reason, recorded who prints the receipt only by the shape of the answer, and recorded the reason of an end only as
 * text.
 */
export function upgradeEvent(stored: StoredEvent, reasonOf: ReasonOf): StoredEvent {
  const { at, event } = stored;
  if (event.kind === 'accepted' && !hasPrintedBy(event)) {
    return { at, event: { ...event, printedBy: event.shape === 'B' ? 'pos' : 'terminal' } };
  }
  if (event.kind === 'answered' && event.outcome.kind === 'declined' && !hasReason(event.outcome)) {
    const reason = reasonOf(event.outcome.responseCode);
    return { at, event: { ...event, outcome: { ...event.outcome, reason } } };
  }
  if (event.kind === 'ended' && event.result !== 'SUCCESS' && !hasReason(event)) {
    return { at, event: { ...event, reason: reasonOfEnd(event, reasonOf) } };
  }
  if (event.kind === 'adviceAnswered' && !hasReason(event)) return { at, event: upgradeAnswer(event, reasonOf) };
  return stored;
}

/** For an acknowledgement, the only reason is 'duplicate'. */
function upgradeAnswer(event: AdviceAnswered, reasonOf: ReasonOf): AdviceAnswered {
  const reason = reasonOf(event.responseCode);
  return event.answer === 'rejected' || reason === 'duplicate' ? { ...event, reason } : event;
}

/** The text shows who cancelled. Other ends are identified by the host's code, or else by their text. */
function reasonOfEnd({ result, code, message }: Conclusion, reasonOf: ReasonOf): Reason {
  if (result === 'DECLINED' && code > 1000) return reasonOf(String(code - 1000).padStart(2, '0'));
  if (result === 'TIMEOUT') return 'customerTimeout';
  if (result !== 'TRANSACTION_ALREADY_CANCEL') return 'unspecified';
  if (message.includes('POS')) return 'cancelledByPos';
  if (message.includes('merchant')) return 'cancelledByMerchant';
  return message.includes('customer') ? 'cancelledByCustomer' : 'terminalRestarting';
}

function hasPrintedBy({ printedBy }: Partial<Accepted>): boolean {
  return printedBy !== undefined;
}

function hasReason({ reason }: { readonly reason?: Reason }): boolean {
  return reason !== undefined;
}
