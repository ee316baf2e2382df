import { offeredKinds } from '../domain/capability.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import { paymentSchemeOf } from '../records/payment.ts';
import {
  isReferenceRefusal,
  noOriginal,
  type Reference,
  type ReferenceRefusal,
  type ReferenceRules,
  type Resolved,
  checkReference,
} from '../transaction/reference.ts';
import { type RecordTree, standing } from '../records/standing.ts';
import type { Original } from './order.ts';
import { buildTree } from '../records/record-tree.ts';

export interface ReferenceParts {
  readonly journal: Journal;
  readonly profiles: readonly AcquirerProfile[];
  readonly rules: ReferenceRules;
}

/** A checked request, with its original as it stands now. */
export interface Referred extends Resolved {
  readonly original: Original;
  readonly tree: RecordTree;
}

/** Checks whether an earlier transaction allows this request, by the journal's present state. */
export async function checkReferenceNow(
  request: Reference,
  originalId: TerminalTransactionId,
  { journal, profiles, rules }: ReferenceParts,
): Promise<Referred | ReferenceRefusal> {
  const tree = await buildTree(originalId, journal);
  if (!tree) return noOriginal;
  const { intent } = tree.record;
  const settled = await journal.isSettled(originalId);
  const possible = intent ? offeredKinds(paymentSchemeOf(intent), profiles) : [];
  const resolved = checkReference(request, tree, settled, possible, rules);
  if (isReferenceRefusal(resolved)) return resolved;
  return { ...resolved, tree, original: { record: tree.record, total: standing(tree).total } };
}
