import type { AdviceAnswered, SetAside } from '../events/answer.ts';
import type { ClosedOrder, JournalEvent, StoredEvent, UnreadableEvent } from '../events/event.ts';

/**
 * The sources of evidence about a transaction, the most reliable first: the host about this posting, its settlement,
 * the card, the operator with the bank's answer, and the terminal's own conclusions.
 */
export const sources = ['host', 'settlement', 'card', 'operator', 'terminal'] as const;
export type Source = (typeof sources)[number];

/**
 * What became of a transaction after its answer.
 * none: no evidence has been added. answered: its host has approved or declined it. reversing: its reversal, or the
 * enquiry that determines its outcome, is queued. reversed: the host has reversed it, or has no record of it. advising:
 * its advice is queued. advised, rejected: the host's answer to the advice. posted, notPosted: the bank's answer that
 * the operator has entered. resolved: an unknown outcome has become known, from the host or from the card.
 */
export type Position =
  | 'none'
  | 'answered'
  | 'reversing'
  | 'reversed'
  | 'advising'
  | 'advised'
  | 'rejected'
  | 'posted'
  | 'notPosted'
  | 'resolved';

/** What an event says about the position. */
export type Finding =
  | 'attemptBegun'
  | 'hostAnswered'
  | 'attemptWithdrawn'
  | 'reversalDue'
  | 'adviceDue'
  | 'hostReversed'
  | 'hostAdvised'
  | 'hostRejected'
  | 'hostUndecided'
  | 'bankPosted'
  | 'bankNotPosted'
  | 'becameKnown';

/**
 * The source of a finding, and the position to which it leads from each position. From an absent position it changes
 * nothing.
 */
interface Rule {
  readonly source: Source;
  readonly from: Readonly<Partial<Record<Position, Position>>>;
}

const positions = [
  'none',
  'answered',
  'reversing',
  'reversed',
  'advising',
  'advised',
  'rejected',
  'posted',
  'notPosted',
  'resolved',
] as const satisfies readonly Position[];

const always = (next: Position): Rule['from'] => Object.fromEntries(positions.map((each) => [each, next]));

/**
 * The operator's decision counts until better evidence is known. It does not count after the host has reversed or
 * accepted the transaction, or after the host or the card has made its outcome known. A rejected advice is not posted
 * by the host, but the bank may post it by hand.
 */
const unlessKnown = (next: Position): Rule['from'] => ({
  none: next,
  reversing: next,
  advising: next,
  rejected: next,
  posted: next,
  notPosted: next,
});

/**
 * The table. A queued message is not evidence of an outcome: it makes every position undecided again. The host's answer
 * overrides the operator's decision, unless the host leaves open whether it has posted the advice.
 */
const table: Readonly<Record<Finding, Rule>> = {
  attemptBegun: { source: 'terminal', from: { answered: 'none' } },
  hostAnswered: { source: 'host', from: { none: 'answered' } },
  attemptWithdrawn: { source: 'host', from: { answered: 'none', reversing: 'none' } },
  reversalDue: { source: 'terminal', from: always('reversing') },
  adviceDue: { source: 'terminal', from: always('advising') },
  hostReversed: { source: 'host', from: always('reversed') },
  hostAdvised: { source: 'host', from: always('advised') },
  hostRejected: { source: 'host', from: always('rejected') },
  hostUndecided: { source: 'host', from: { ...always('rejected'), posted: 'posted', notPosted: 'notPosted' } },
  bankPosted: { source: 'operator', from: unlessKnown('posted') },
  bankNotPosted: { source: 'operator', from: unlessKnown('notPosted') },
  becameKnown: { source: 'card', from: always('resolved') },
};

/**
 * Whether a host that has no record of it, when asked to void it, reopens the question. That answer alone proves nothing:
 * without the host's own number, the void names its original by fields that hosts read differently. The answer to the
 * original's own reversal is the host's word, so that reversal is queued again. The bank's answer counts no longer. An
 * advice has no reversal, and the bank may have posted it by hand: there the bank's answer stays.
 */
export function isReopenedByNoRecord({ position, reversal }: Pick<Place, 'position' | 'reversal'>): boolean {
  return position === 'posted' && reversal === 'setAside';
}

/** The finding of an event; undefined if the event says nothing about the position. */
export function findingOf(event: JournalEvent | UnreadableEvent): Finding | undefined {
  switch (event.kind) {
    case 'intent':
      return 'attemptBegun';
    case 'withdrawn':
      return 'attemptWithdrawn';
    case 'answered':
      return event.outcome.kind === 'approved' || event.outcome.kind === 'declined' ? 'hostAnswered' : undefined;
    case 'reversalQueued':
      return 'reversalDue';
    case 'adviceQueued':
      return 'adviceDue';
    case 'reversalAcknowledged':
      return 'hostReversed';
    case 'adviceAnswered':
      if (event.answer === 'acknowledged') return 'hostAdvised';
      return event.ofRepeat ? 'hostUndecided' : 'hostRejected';
    case 'setAside':
      return event.outcome === 'POSTED' ? 'bankPosted' : 'bankNotPosted';
    case 'resolved':
      return 'becameKnown';
    default:
      return undefined;
  }
}

export function sourceOf(finding: Finding): Source {
  return table[finding].source;
}

/** The position after a finding. */
export function weigh(position: Position, finding: Finding): Position {
  return table[finding].from[position] ?? position;
}

/** Whether the event may end something that waited for a host, the card or the operator. */
export function mayEndWaiting(event: JournalEvent): boolean {
  const finding = findingOf(event);
  if (event.kind === 'orderLookedAt') return true;
  return finding !== undefined && finding !== 'hostAnswered' && sourceOf(finding) !== 'terminal';
}

/** The host's own time when it closed this order, by which it finds the order later; empty if it was not recorded. */
export function hostTimeOf(events: readonly StoredEvent[], order: ClosedOrder): { readonly hostAt?: string } {
  const closed = events.findLast(({ event }) => {
    return event.kind === 'orderClosed' && event.acquirerId === order.acquirerId && event.stan === order.stan;
  })?.event;
  return closed?.kind === 'orderClosed' && closed.hostAt !== undefined ? { hostAt: closed.hostAt } : {};
}

/** The parts of a position that other modules read. */
export interface Views {
  readonly reversal?: 'queued' | 'acknowledged' | 'setAside';
  readonly advice?: 'queued' | AdviceAnswered['answer'];
  /** The bank's answer, if no evidence of higher rank is known. */
  readonly setAside?: SetAside['outcome'];
}

/** The views of a position. `isAdvised`: an advice was queued, so the transaction has no reversal. */
export function viewsOf(position: Position, isAdvised: boolean): Views {
  switch (position) {
    case 'reversing':
      return { reversal: 'queued' };
    case 'reversed':
      return { reversal: 'acknowledged' };
    case 'advising':
      return { advice: 'queued' };
    case 'advised':
      return { advice: 'acknowledged' };
    case 'rejected':
      return { advice: 'rejected' };
    case 'posted':
      return { ...(isAdvised ? { advice: 'acknowledged' } : { reversal: 'setAside' }), setAside: 'POSTED' };
    case 'notPosted':
      return { ...(isAdvised ? { advice: 'rejected' } : { reversal: 'setAside' }), setAside: 'NOT_POSTED' };
    case 'none':
    case 'answered':
    case 'resolved':
      return {};
    default:
      return position satisfies never;
  }
}

/** A position with its views. */
export interface Place extends Views {
  readonly position: Position;
}

export const nowhere: Place = { position: 'none' };

/** The place of a transaction after a finding. */
export function placeAfter({ position, advice }: Pick<Place, 'position' | 'advice'>, finding: Finding): Place {
  const next = weigh(position, finding);
  return { position: next, ...viewsOf(next, advice !== undefined) };
}

/** The position that these views show; 'none' if they show no other. */
export function positionOf({ reversal, advice, setAside }: Views): Position {
  if (setAside !== undefined) return setAside === 'POSTED' ? 'posted' : 'notPosted';
  if (advice !== undefined) return advices[advice];
  if (reversal === undefined || reversal === 'setAside') return 'none';
  return reversal === 'queued' ? 'reversing' : 'reversed';
}

const advices = { queued: 'advising', acknowledged: 'advised', rejected: 'rejected' } as const;

/**
 * Whether a transaction that counted by the bank's answer counts no longer. What it had taken out of a batch, such as
 * the sale that it voided, then counts again.
 */
export function countsNoLonger(before: Position, finding: Finding): boolean {
  return before === 'posted' && weigh(before, finding) !== 'posted' && weigh(before, finding) !== 'advised';
}

/**
 * The event with the mark that a settled batch had counted its transaction by the bank's answer. Unchanged if it is no
 * evidence against that answer.
 */
export function markCounted(event: JournalEvent): JournalEvent {
  if (event.kind === 'reversalQueued' || event.kind === 'reversalAcknowledged')
    return { ...event, afterSettlement: true };
  return event.kind === 'adviceAnswered' ? { ...event, wasCounted: true } : event;
}

/** The place by which a settled batch counted it, whatever has become known since. */
export function asCounted<Counted extends Place>({ reversal: _r, advice, setAside: _s, ...record }: Counted) {
  return { ...record, position: 'posted' as const, ...viewsOf('posted', advice !== undefined) };
}

/**
 * Whether the transaction counts in the batch that is open now, and no longer in the batch of its intent. This applies
 * if its outcome became known, or if it is posted, when that batch may have been settled without it. The first answer
 * to an advice does not move it.
 */
export function countsAnew(before: Position, finding: Finding): boolean {
  if (table[finding].from[before] === undefined) return false;
  switch (finding) {
    case 'becameKnown':
    case 'bankPosted':
    case 'bankNotPosted':
      return true;
    case 'hostAdvised':
    case 'hostRejected':
    case 'hostUndecided':
      return before !== 'advising' && weigh(before, finding) !== before;
    default:
      return false;
  }
}
