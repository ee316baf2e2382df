import { majorText } from '../base/domain/amount.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { MatterKind } from '../payment/events/customer-matter.ts';
import type { ReferenceParts } from '../payment/method/original.ts';
import { isSettledInCash } from '../payment/records/customer-matters.ts';
import { buildTree, readableTree } from '../payment/records/record-tree.ts';
import { hasUndecidedLater } from '../payment/records/transaction-status.ts';
import { type PossibleAct, possibleActs } from './acts.ts';
import { type Listed, listRecord } from './listed.ts';

/** A matter to be settled with the customer that the operator has not settled yet. */
export interface OpenMatter extends Listed {
  readonly matter: MatterKind;
  /** The transaction that a refund or void refers to; empty for others. */
  readonly ofTransaction: string;
  /** Its void, if the rules allow it now: it settles the matter of a refund whose payment was reversed. */
  readonly void?: PossibleAct;
  /** The customer can be given the amount in cash. */
  readonly isReturnable: boolean;
}

export interface MatterParts {
  readonly journal: Pick<Journal, 'matters' | 'read' | 'later' | 'append' | 'takes'>;
}

type MatterRefusal = 'notWaiting' | 'onTrial';

/** All open matters, in the order of their transactions. Rejects with JournalError. */
export async function openMatters(
  { journal }: Pick<MatterParts, 'journal'>,
  references?: ReferenceParts,
): Promise<readonly OpenMatter[]> {
  const open = new Map<string, OpenMatter>();
  for (const listed of await journal.matters()) {
    for (const { id, kind, amount, state } of await readable(listed, journal)) {
      const tree = state === 'open' ? await buildTree(id, journal) : undefined;
      if (!tree || open.has(`${id} ${kind}`)) continue;
      const { record } = tree;
      const act = references && kind === 'refundOfReversed' ? await voidOf(tree, references) : undefined;
      open.set(`${id} ${kind}`, {
        ...listRecord(record),
        amount: majorText(amount),
        matter: kind,
        ofTransaction: record.request.originalId ?? '',
        isReturnable: isSettledInCash(kind) && isCharge(record.request.type) && !hasUndecidedLater(tree),
        ...(act ? { void: act } : {}),
      });
    }
  }
  return [...open.values()];
}

/** Writes that the operator of this session has settled it with the customer. Rejects with JournalError. */
export async function settleWithCustomer(
  transaction: string,
  matter: MatterKind,
  session: string,
  { journal }: MatterParts,
): Promise<'done' | { readonly refused: MatterRefusal }> {
  const id = transaction as TerminalTransactionId;
  const found = (await readable(id, journal)).find((each) => each.id === id && each.kind === matter);
  if (found?.state !== 'open') return { refused: 'notWaiting' };
  if (!journal.takes('settledWithCustomer')) return { refused: 'onTrial' };
  await journal.append(id, [{ kind: 'settledWithCustomer', matter, who: 'OPERATOR', session }]);
  return 'done';
}

/**
 * Whether the amount may be given in cash: it was charged late, or is cash back, and no refund of it may still become
 * known as made. Rejects with JournalError.
 */
export async function isReturnableMatter(
  id: TerminalTransactionId,
  { journal }: Pick<MatterParts, 'journal'>,
): Promise<boolean> {
  const tree = await readableTree(id, journal);
  if (!tree || hasUndecidedLater(tree)) return false;
  return (tree.record.matters ?? []).some(
    (each) => each.id === id && isSettledInCash(each.kind) && each.state === 'open' && isCharge(each.type),
  );
}

/** A record that can't be read is in another list. */
async function readable(id: TerminalTransactionId, journal: Pick<Journal, 'read' | 'later'>) {
  return (await readableTree(id, journal))?.record.matters ?? [];
}

async function voidOf(
  tree: Parameters<typeof possibleActs>[0],
  references: ReferenceParts,
): Promise<PossibleAct | undefined> {
  return (await possibleActs(tree, references)).find(({ act }) => act === 'VOID');
}

function isCharge(type: string): boolean {
  return type === 'SALE' || type === 'OFFLINE_SALE' || type === 'AUTH_COMP';
}
