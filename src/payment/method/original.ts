import { offeredKinds, voidableKinds } from '../../base/domain/capability.ts';
import type { Intent } from '../events/intent.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import { paymentSchemeOf } from '../records/payment.ts';
import {
  isReferenceRefusal,
  type KindsAfter,
  noOriginal,
  type Reference,
  type ReferenceRefusal,
  type ReferenceRules,
  type Resolved,
  checkReference,
} from '../transaction/reference.ts';
import { type RecordTree, transactionStatus } from '../records/transaction-status.ts';
import type { Original } from './order.ts';
import { buildTree } from '../records/record-tree.ts';

export interface ReferenceParts {
  readonly journal: Pick<Journal, 'read' | 'later' | 'isSettled' | 'restored' | 'isFromCopy' | 'presentBatch'>;
  readonly profiles: readonly AcquirerProfile[];
  readonly rules: ReferenceRules;
}

const nothingAfter: KindsAfter = { offered: [], lacking: [] };

/** The kinds that are impossible for a wallet whose payments are final. */
const givingBack = ['REFUND', 'VOID_SALE', 'VOID_REFUND'] as const;

/**
 * The possible actions with an earlier payment. A wallet that is no longer accepted is still served by its acquirer:
 * the host identifies the order independently of the wallet.
 */
function kindsAfter(intent: Intent, profiles: readonly AcquirerProfile[], kindsOf: typeof offeredKinds): KindsAfter {
  const scheme = paymentSchemeOf(intent);
  const own = profiles.find(({ id }) => id === intent.acquirerId);
  const isFormer = own !== undefined && 'wallet' in intent && !own.brands.includes(scheme);
  if (!isFormer) return { offered: kindsOf(scheme, profiles), lacking: own?.lacking?.[scheme] ?? [] };
  const lacking = intent.isFinal ? givingBack : [];
  const offer = { brands: [scheme], kinds: own.kinds, group: 'QR', lacking: { [scheme]: lacking } } as const;
  return { offered: offeredKinds(scheme, [offer]), lacking };
}

/** A checked request, with its original as it stands now. */
export interface Referred extends Resolved {
  readonly original: Original;
  readonly tree: RecordTree;
}

/** A refund, void or completion after the copy is not in the journal, and the host might carry out a second one. */
function refuseCopy({ lastAt = 'its beginning', at }: NonNullable<Journal['restored']>): ReferenceRefusal {
  return {
    result: 'INVALID_TRANSACTION_STATUS',
    pointer: '/originalTerminalTransactionId',
    message:
      `names a transaction of a journal that was put back: what was done with it between ${lastAt} and ${at} is not ` +
      'known here. Compare with the bank, then the operator confirms it in Waiting for the bank',
    reason: 'beforeJournal',
  };
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
  const kinds = request.type === 'VOID' ? voidableKinds : offeredKinds;
  const possible = intent ? kindsAfter(intent, profiles, kinds) : nothingAfter;
  const resolved = checkReference(request, tree, settled, possible, rules);
  if (isReferenceRefusal(resolved)) return resolved;
  const { restored } = journal;
  if (restored && (await journal.isFromCopy(originalId))) return refuseCopy(restored);
  return { ...resolved, tree, original: { record: tree.record, total: transactionStatus(tree).total } };
}
