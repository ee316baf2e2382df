import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { SettlingBatch } from '../events/settling-batch.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { Journal, Pending } from '../ports/journal.ts';

type Address = Pick<AcquirerHost, 'mid' | 'tid' | 'link'>;

export interface QueueParts {
  /** In the order of the configuration. */
  readonly acquirers: ReadonlyMap<AcquirerId, { readonly address?: Address }>;
  readonly journal: Pick<
    Journal,
    | 'health'
    | 'pending'
    | 'waitingReceipts'
    | 'acquirers'
    | 'openBatch'
    | 'rejectedAdvices'
    | 'setAside'
    | 'settlingBatches'
    | 'deniedBatches'
  >;
  /** Whether no message can be built from the transaction, so that it waits for the operator. */
  readonly isUnsendable: (id: TerminalTransactionId) => boolean;
}

/** What of the status only the journal knows. */
export async function readQueues(parts: QueueParts) {
  const { journal, isUnsendable } = parts;
  const [health, pending, receipts, known] = await Promise.all([
    journal.health(),
    journal.pending(),
    journal.waitingReceipts(),
    journal.acquirers(),
  ]);
  const configured = [...parts.acquirers.keys()];
  const gone = known.filter((id) => !configured.includes(id));
  const tell = async (id: AcquirerId) => ({
    id,
    ...(configured.includes(id) ? {} : { configured: false as const }),
    ...addressOf(parts.acquirers.get(id)?.address),
    openBatch: await journal.openBatch(id),
    pendingReversals: waiting(pending, 'reversal', id),
    pendingAdvices: waiting(pending, 'advice', id),
    rejectedAdvices: await journal.rejectedAdvices(id),
    unsendable: pending.filter((each) => each.acquirerId === id && isUnsendable(each.id)).map((each) => each.id),
    setAside: await journal.setAside(id),
    waitingBatches: [...(await journal.settlingBatches(id)), ...(await deniedOf(id, journal))].map(waitingBatch),
  });
  return {
    journal: health,
    acquirers: [...(await Promise.all(configured.map(tell))), ...(await Promise.all(gone.map(tell))).filter(isLeft)],
    pendingReversals: waiting(pending, 'reversal'),
    pendingAdvices: waiting(pending, 'advice'),
    waitingReceipts: receipts.length,
  };
}

/** What is left of it while the journal does not answer, and what is not. */
export function untold({ acquirers }: Pick<QueueParts, 'acquirers'>) {
  return {
    journal: 'silent' as const,
    acquirers: [...acquirers].map(([id, { address }]) => ({ id, ...addressOf(address) })),
    untold: ['acquirers', 'pendingReversals', 'pendingAdvices', 'waitingReceipts'] as const,
  };
}

interface Left extends Record<'pendingReversals' | 'pendingAdvices', number> {
  readonly rejectedAdvices: readonly unknown[];
  readonly waitingBatches: readonly unknown[];
}

/** Whether an acquirer that is not configured any more still has transactions for the operator. */
function isLeft({ pendingReversals, pendingAdvices, rejectedAdvices, waitingBatches }: Left): boolean {
  return pendingReversals + pendingAdvices + rejectedAdvices.length + waitingBatches.length > 0;
}

/** Batches that their host has settled although the bank had denied it: the operator must ask the bank again. */
async function deniedOf(id: AcquirerId, journal: Pick<Journal, 'deniedBatches'>): Promise<SettlingBatch[]> {
  return (await journal.deniedBatches(id))
    .filter(({ currencies }) => currencies.some(({ result }) => result === 'BALANCED' || result === 'UPLOADED'))
    .map((each) => ({
      ...each,
      reason: 'the host has settled it after all, and its payments are in the open batch too',
    }));
}

/** A closed batch that is not settled yet. `refused`: its host will not accept it, the operator must ask the bank. */
function waitingBatch({ batch, at, tries, refused, reason }: SettlingBatch) {
  return { batch, closedAt: at, tries, refused, ...(reason === undefined ? {} : { message: reason }) };
}

/** Undefined for an acquirer without a host. */
function addressOf(address: Address | undefined) {
  return address && { mid: address.mid, tid: address.tid, link: address.link };
}

function waiting(pending: readonly Pending[], message: Pending['message'], acquirerId?: AcquirerId): number {
  const ofAcquirer = (each: Pending) => acquirerId === undefined || each.acquirerId === acquirerId;
  return pending.filter((each) => each.message === message && ofAcquirer(each)).length;
}
