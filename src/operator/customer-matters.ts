import { majorText } from '../base/domain/amount.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { CustomerMatter, MatterKind } from '../payment/events/customer-matter.ts';
import type { ReferenceParts } from '../payment/method/original.ts';
import { isSettledInCash } from '../payment/records/customer-matters.ts';
import { readOpenMatters } from '../payment/records/customer-debts.ts';
import { readableTree } from '../payment/records/record-tree.ts';
import { hasUndecidedLater, type RecordTree } from '../payment/records/transaction-status.ts';
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
  const open: OpenMatter[] = [];
  for (const { matter, tree } of await readOpenMatters(journal)) {
    const { record } = tree;
    const { kind, amount } = matter;
    const act = references && kind === 'refundOfReversed' ? await voidOf(tree, references) : undefined;
    open.push({
      ...listRecord(record),
      amount: majorText(amount),
      matter: kind,
      ofTransaction: record.request.originalId ?? '',
      isReturnable: returnableMatter(tree)?.kind === kind,
      ...(act ? { void: act } : {}),
    });
  }
  return open;
}

/** Writes that the operator of this session has settled it with the customer. Rejects with JournalError. */
export async function settleWithCustomer(
  transaction: string,
  matter: MatterKind,
  session: string,
  { journal }: MatterParts,
): Promise<'done' | { readonly refused: MatterRefusal }> {
  const id = transaction as TerminalTransactionId;
  // A record that can't be read is in another list.
  const matters = (await readableTree(id, journal))?.record.matters ?? [];
  const found = matters.find((each) => each.id === id && each.kind === matter);
  if (found?.state !== 'open') return { refused: 'notWaiting' };
  if (!journal.takes('settledWithCustomer')) return { refused: 'onTrial' };
  await journal.append(id, [{ kind: 'settledWithCustomer', matter, who: 'OPERATOR', session }]);
  return 'done';
}

/**
 * The matter whose amount may be given in cash: it was charged late, or is cash back, and no refund of it may still
 * become known as made. Undefined if there is none.
 */
export function returnableMatter(tree: RecordTree): CustomerMatter | undefined {
  if (hasUndecidedLater(tree)) return undefined;
  const { id, matters = [] } = tree.record;
  return matters.find(
    (each) => each.id === id && isSettledInCash(each.kind) && each.state === 'open' && isCharge(each.type),
  );
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
