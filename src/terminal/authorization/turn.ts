import type { AcquirerId } from '../../domain/identifiers.ts';
import { failure } from '../../transaction/decide.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../../transaction/reference.ts';
import { awaitsHost } from '../../transaction/standing.ts';
import type { AuthorizationParts, Order, Original } from '../order.ts';
import { referredNow } from '../original.ts';
import { concludedAt, type Written, written } from './written.ts';

interface Over {
  readonly kind: 'over';
  readonly end: Written;
}

/** `known`: what the order refers to, as it stands now. */
interface Now {
  readonly kind: 'now';
  readonly known: Original;
}

/**
 * Whether it is an order's turn, right before its intent: nothing comes between. What waits for the host goes first, its money may
 * still be held; or the order is over, without a word to any host.
 */
export async function turnOf(
  order: Order,
  acquirerId: AcquirerId,
  { forwarder, journal }: AuthorizationParts,
): Promise<Over | { readonly kind: 'now' }> {
  if (await forwarder.cleared(acquirerId)) return { kind: 'now' };
  return { kind: 'over', end: await written(order, { kind: 'notSent', reason: 'reversals-pending' }, journal) };
}

/**
 * The same of an order with an original. The host may have said no meanwhile to what the order was checked against, so that is checked
 * once more, behind the queue.
 */
export async function referenceTurnOf(
  order: Order,
  original: Original,
  acquirerId: AcquirerId,
  parts: AuthorizationParts,
): Promise<Over | Now> {
  const turn = await turnOf(order, acquirerId, parts);
  if (turn.kind === 'over') return turn;
  const known = await checked(order, original, parts);
  if (known.kind === 'over' || !known.awaitsHost) return known;
  // It can't be brought there: what the host may still refuse is nothing to count on.
  return over(
    order,
    'originalTerminalTransactionId names a transaction that waits for the host: ask the operator',
    parts,
  );
}

/** The same of what is decided here: it waits only where the host has still to hear of the original. */
export async function adviceTurnOf(
  order: Order,
  original: Original,
  acquirerId: AcquirerId,
  parts: AuthorizationParts,
): Promise<Over | Now> {
  const known = await checked(order, original, parts);
  return known.kind === 'now' && known.awaitsHost ? referenceTurnOf(order, original, acquirerId, parts) : known;
}

async function checked(
  order: Order,
  original: Original,
  parts: AuthorizationParts,
): Promise<Over | (Now & { readonly awaitsHost: boolean })> {
  const { kind: type, amount, tipMinor } = order;
  const answer = await referredNow({ type, amount, tipMinor }, original.record.id, parts);
  return isReferenceRefusal(answer)
    ? over(order, refusalText(answer), parts)
    : { kind: 'now', known: answer.original, awaitsHost: awaitsHost(answer.tree) };
}

async function over(order: Order, message: string, { journal }: AuthorizationParts): Promise<Over> {
  const conclusion = failure('INVALID_TRANSACTION_STATUS', `${message}; nothing was sent`);
  return { kind: 'over', end: await concludedAt(order, conclusion, journal) };
}

function refusalText({ pointer, message }: ReferenceRefusal): string {
  return `${pointer.slice(1)} ${message}`;
}
