import type { AcquirerId, TraceNumbers } from '../../base/domain/identifiers.ts';
import type { IntentDraft } from '../events/intent.ts';
import { entryOf } from '../records/batch-load.ts';
import { failure } from '../events/conclusion.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../transaction/reference.ts';
import { awaitsHost, type RecordTree, transactionStatus, unknownRefundsMinor } from '../records/transaction-status.ts';
import type { SessionParts, Order, Original } from './order.ts';
import { checkReferenceNow } from './original.ts';
import { commitConclusion, type Written, commitAnswer } from './commit-answer.ts';
import { blockedBy } from './what-waits.ts';

interface Over {
  readonly kind: 'over';
  readonly end: Written;
}

/** `known`: the original, as it stands now. */
interface Now {
  readonly kind: 'now';
  readonly known: Original;
}

/** An intent that is on disk. */
interface Intended {
  readonly kind: 'intended';
  readonly trace: TraceNumbers;
}

/**
 * Writes the intent of an order that may be sent. The host's queue is sent first, because reversals in it may still
 * hold money. Otherwise the order ends without a message to any host. Rejects with JournalError if the intent could not
 * be written.
 */
export async function writeIntent(order: Order, draft: IntentDraft, parts: SessionParts): Promise<Over | Intended> {
  const { original } = order;
  const { acquirerId } = draft;
  const turn = await (original
    ? writeReferenceIntent(order, original, acquirerId, parts)
    : writeOfflineIntent(order, acquirerId, parts));
  if (turn.kind === 'over') return turn;
  return original ? intended(order, draft, parts) : intendedBehindQueue(order, draft, parts);
}

/** For an offline decision without an original: it needs room in the open batch only. */
export async function writeOfflineIntent(
  order: Order,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | { readonly kind: 'now' }> {
  return withRoom(order, acquirerId, parts, { kind: 'now' });
}

/** If no waiting message is known, the intent's own commit verifies it. */
async function intendedBehindQueue(order: Order, draft: IntentDraft, parts: SessionParts): Promise<Over | Intended> {
  const { forwarder, journal } = parts;
  const { acquirerId } = draft;
  const trace = forwarder.rests(acquirerId) ? await journal.intendIfClear(order.id, draft) : undefined;
  if (trace) return { kind: 'intended', trace };
  return (await behindQueue(order, acquirerId, parts)) ?? intended(order, draft, parts);
}

async function intended({ id }: Order, draft: IntentDraft, { journal }: SessionParts): Promise<Intended> {
  return { kind: 'intended', trace: await journal.intend(id, draft) };
}

/**
 * Waits until an order with an original may be sent; called right before its intent is written, with nothing between.
 * The host may have rejected the original meanwhile, so the order is checked again after the queue was sent.
 */
export async function writeReferenceIntent(
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
  // The queue could not be sent, and the host may still reject the original: nothing may rely on it.
  return overBy(
    order,
    {
      result: 'INVALID_TRANSACTION_STATUS',
      reason: 'originalAwaitsHost',
      message: 'originalTerminalTransactionId names a transaction that waits for the host: ask the operator',
    },
    parts,
  );
}

/**
 * As `takeReferenceTurn`, for an offline decision: it waits for the queue only if the host does not have the original
 * yet.
 */
export async function writeAdviceIntent(
  order: Order,
  original: Original,
  acquirerId: AcquirerId,
  parts: SessionParts,
): Promise<Over | Now> {
  const known = await checkAgain(order, original, parts);
  if (known.kind === 'over') return known;
  return known.awaitsHost
    ? writeReferenceIntent(order, original, acquirerId, parts)
    : withRoom(order, acquirerId, parts, known);
}

async function checkAgain(
  order: Order,
  original: Original,
  parts: SessionParts,
): Promise<Over | (Now & { readonly awaitsHost: boolean })> {
  const { kind, amount, tipMinor } = order;
  // It may have been requested as VOID, which stands for the same void again.
  const type = kind.startsWith('VOID_') ? 'VOID' : kind;
  const answer = await checkReferenceNow({ type, amount, tipMinor }, original.record.id, parts);
  return isReferenceRefusal(answer)
    ? overBy(order, { ...answer, result: 'INVALID_TRANSACTION_STATUS', message: refusalText(answer) }, parts)
    : { kind: 'now', known: answer.original, awaitsHost: awaitsHost(answer.tree) && !isWithinRest(order, answer.tree) };
}

/** A refund of no more than the rest, even if every refund of unknown outcome has been carried out. */
function isWithinRest({ kind, amount }: Order, tree: RecordTree): boolean {
  const unknownMinor = unknownRefundsMinor(tree);
  if (kind !== 'REFUND' || unknownMinor === undefined) return false;
  const { total, refundedMinor } = transactionStatus(tree);
  return amount.minor + unknownMinor + refundedMinor <= total.minor;
}

async function behindQueue(
  order: Order,
  acquirerId: AcquirerId,
  { forwarder, journal }: SessionParts,
): Promise<Over | undefined> {
  if (await forwarder.clear(acquirerId)) return undefined;
  return { kind: 'over', end: await commitAnswer(order, await blockedBy(acquirerId, journal), journal) };
}

/** Reserves room in the open batch. Called once the acquirer is known. */
async function withRoom<T extends { readonly kind: 'now' }>(
  order: Order,
  acquirerId: AcquirerId,
  parts: SessionParts,
  turn: T,
): Promise<Over | T> {
  const entry = entryOf(order, order.original?.total.minor);
  const fault = await parts.room.fault(acquirerId, entry);
  if (fault !== undefined)
    return overBy(order, { ...fault, result: 'ERROR', message: `requestAmount ${fault.message}` }, parts);
  parts.room.take(acquirerId, entry);
  return turn;
}

async function overBy(
  order: Order,
  { result, reason, message }: Pick<ReferenceRefusal, 'result' | 'reason' | 'message'>,
  { journal }: SessionParts,
): Promise<Over> {
  const conclusion = failure(result, reason, `${message}; nothing was sent`);
  return { kind: 'over', end: await commitConclusion(order, conclusion, journal) };
}

function refusalText({ pointer, message }: ReferenceRefusal): string {
  return `${pointer.slice(1)} ${message}`;
}
