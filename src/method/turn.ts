import type { AcquirerId } from '../domain/identifiers.ts';
import type { ResponseResult } from '../domain/response-code.ts';
import { entryOf } from '../records/batch-load.ts';
import { failure } from '../events/conclusion.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../transaction/reference.ts';
import { awaitsHost } from '../records/standing.ts';
import type { SessionParts, Order, Original } from './order.ts';
import { checkReferenceNow } from './original.ts';
import { commitConclusion, type Written, commitAnswer } from './commit-answer.ts';

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
export async function takeTurn(
  order: Order,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | { readonly kind: 'now' }> {
  return (await behindQueue(order, acquirerId, parts)) ?? withRoom(order, acquirerId, parts, { kind: 'now' });
}

/** The same of what is decided here, and has no original. */
export async function takeOfflineTurn(
  order: Order,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | { readonly kind: 'now' }> {
  return withRoom(order, acquirerId, parts, { kind: 'now' });
}

/**
 * The same of an order with an original. The host may have said no meanwhile to what the order was checked against, so that is checked
 * once more, behind the queue.
 */
export async function takeReferenceTurn(
  order: Order,
  original: Original,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | Now> {
  const over = await behindQueue(order, acquirerId, parts);
  if (over) return over;
  const known = await checkAgain(order, original, parts);
  if (known.kind === 'over') return known;
  if (!known.awaitsHost) return withRoom(order, acquirerId, parts, known);
  // It can't be brought there: what the host may still refuse is nothing to count on.
  return overBy(
    order,
    'INVALID_TRANSACTION_STATUS',
    'originalTerminalTransactionId names a transaction that waits for the host: ask the operator',
    parts,
  );
}

/** The same of what is decided here: it waits only where the host has still to hear of the original. */
export async function takeAdviceTurn(
  order: Order,
  original: Original,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | Now> {
  const known = await checkAgain(order, original, parts);
  if (known.kind === 'over') return known;
  return known.awaitsHost
    ? takeReferenceTurn(order, original, acquirerId, parts)
    : withRoom(order, acquirerId, parts, known);
}

async function checkAgain(
  order: Order,
  original: Original,
  parts: SessionParts,
): Promise<Over | (Now & { readonly awaitsHost: boolean })> {
  const { kind: type, amount, tipMinor } = order;
  const answer = await checkReferenceNow({ type, amount, tipMinor }, original.record.id, parts);
  return isReferenceRefusal(answer)
    ? overBy(order, 'INVALID_TRANSACTION_STATUS', refusalText(answer), parts)
    : { kind: 'now', known: answer.original, awaitsHost: awaitsHost(answer.tree) };
}

async function behindQueue(
  order: Order,
  acquirerId: AcquirerId,
  { forwarder, journal }: SessionParts,
): Promise<Over | undefined> {
  if (await forwarder.clear(acquirerId)) return undefined;
  return { kind: 'over', end: await commitAnswer(order, { kind: 'notSent', reason: 'reversals-pending' }, journal) };
}

/** Taken here, where it is known who takes it. */
async function withRoom<T extends { readonly kind: 'now' }>(
  order: Order,
  acquirerId: AcquirerId,
  parts: SessionParts,
  turn: T,
): Promise<Over | T> {
  const entry = entryOf(order, order.original?.total.minor);
  const fault = await parts.room.fault(acquirerId, entry);
  if (fault !== undefined) return overBy(order, 'ERROR', `requestAmount ${fault}`, parts);
  parts.room.take(acquirerId, entry);
  return turn;
}

async function overBy(order: Order, result: ResponseResult, message: string, { journal }: SessionParts): Promise<Over> {
  return { kind: 'over', end: await commitConclusion(order, failure(result, `${message}; nothing was sent`), journal) };
}

function refusalText({ pointer, message }: ReferenceRefusal): string {
  return `${pointer.slice(1)} ${message}`;
}
