import type { AdviceAnswered, SetAside } from '../events/answer.ts';
import type { ClosedOrder, JournalEvent, StoredEvent, UnreadableEvent } from '../events/event.ts';

/**
 * Who says what became of a transaction, the most reliable first: the host about this posting, its settlement, the card,
 * the operator with the bank's word, and what the terminal concludes by itself.
 */
export const sources = ['host', 'settlement', 'card', 'operator', 'terminal'] as const;
export type Source = (typeof sources)[number];

/**
 * What became of a transaction after its answer.
 * none: nothing has been added to it. answered: its host has approved or declined it. reversing: its reversal is queued,
 * or the enquiry that resolves it. reversed: the host has reversed it, or has no record of it. advising: its advice is
 * queued. advised, rejected: the host's answer to the advice. posted, notPosted: the operator has the bank's word.
 * resolved: an unknown outcome has become known, from the host or from the card.
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

/** What an event says of the position. */
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

/** Who says a finding, and to which position it leads from each. From a position that is absent it changes nothing. */
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
 * The operator's word counts while nobody has said more: not after the host has reversed or accepted it, nor after the
 * host or the card has made it known. A rejected advice is not posted by the host, but the bank may post it by hand.
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
 * The table. A queued message is no verdict: it opens the case again, whatever was known. The host's word overrides the
 * operator's, but not where the host leaves open whether it has posted the advice.
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

/** What an event says of the position; undefined for an event that says nothing of it. */
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

/** The host's own time when it had closed this order, by which it finds the order later; empty if it is not on record. */
export function hostTimeOf(events: readonly StoredEvent[], order: ClosedOrder): { readonly hostAt?: string } {
  const closed = events.findLast(({ event }) => {
    return event.kind === 'orderClosed' && event.acquirerId === order.acquirerId && event.stan === order.stan;
  })?.event;
  return closed?.kind === 'orderClosed' && closed.hostAt !== undefined ? { hostAt: closed.hostAt } : {};
}

/** What consumers read of a position. `isAdvised`: an advice was queued, so nothing of it is reversed. */
export interface Views {
  readonly reversal?: 'queued' | 'acknowledged' | 'setAside';
  readonly advice?: 'queued' | AdviceAnswered['answer'];
  /** The bank's word, if nothing of higher rank is known. */
  readonly setAside?: SetAside['outcome'];
}

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

/** Where a transaction is after a finding. */
export function placeAfter({ position, advice }: Pick<Place, 'position' | 'advice'>, finding: Finding): Place {
  const next = weigh(position, finding);
  return { position: next, ...viewsOf(next, advice !== undefined) };
}

/** The position that these views show. What they don't show is taken as 'none'. */
export function positionOf({ reversal, advice, setAside }: Views): Position {
  if (setAside !== undefined) return setAside === 'POSTED' ? 'posted' : 'notPosted';
  if (advice !== undefined) return advices[advice];
  if (reversal === undefined || reversal === 'setAside') return 'none';
  return reversal === 'queued' ? 'reversing' : 'reversed';
}

const advices = { queued: 'advising', acknowledged: 'advised', rejected: 'rejected' } as const;

/**
 * Whether the transaction counts in the batch that is open now, and no longer in that of its intent: it became known, or
 * is posted, when that one may have been settled without it. The first answer to an advice leaves it where it is.
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
