import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { GivenBackInCash } from '../payment/events/event.ts';
import type { Intent } from '../payment/events/intent.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import { type OpenExtraPayment, readOpenExtras } from '../payment/records/customer-debts.ts';
import { type ExtraState, extraPaymentOf } from '../payment/records/extra-payments.ts';
import { readableTree } from '../payment/records/record-tree.ts';
import { type MatterParts, returnableMatter } from './customer-matters.ts';
import { type Listed, listRecord } from './listed.ts';

/** A payment by a shown code that arrived in addition to another one, or late, and that has not been returned yet. */
export interface OpenExtra extends Listed {
  readonly state: Exclude<ExtraState, 'returned'>;
  /** The transaction for which the code was shown. */
  readonly ofTransaction: string;
}

export interface ExtraParts extends MatterParts {
  readonly journal: MatterParts['journal'] & Pick<Journal, 'unmatched' | 'acquirers' | 'openBatch'>;
  readonly acquirers: readonly string[];
}

/**
 * Why an extra payment can't be marked as returned. notWaiting: it is not an extra payment, or does not have to be
 * returned by hand. onTrial: the previous version could not read the event, and may still have to.
 */
type GiveBackRefusal = 'notWaiting' | 'onTrial';

/**
 * All extra payments that have not been returned yet, in the order in which they were found. Rejects with JournalError.
 */
export async function openExtraPayments({
  journal,
}: {
  readonly journal: Pick<Journal, 'unmatched' | 'read' | 'later'>;
}): Promise<readonly OpenExtra[]> {
  return (await readOpenExtras(journal)).map(listExtra);
}

/** The number of extra payments that the shop must return. Rejects with JournalError. */
export async function countExtraPayments(parts: ExtraParts): Promise<number> {
  return (await openExtraPayments(parts)).filter(({ state }) => state === 'toBeReturned').length;
}

/** Writes that the operator of this session has returned the payment in cash. Rejects with JournalError. */
export async function giveBackInCash(
  transaction: string,
  session: string,
  parts: ExtraParts,
): Promise<'done' | { readonly refused: GiveBackRefusal }> {
  const { journal } = parts;
  const id = transaction as TerminalTransactionId;
  // With its refunds: a wallet that could not refund may be able to now.
  const tree = await readableTree(id, journal);
  if (!tree) return { refused: 'notWaiting' };
  const { record } = tree;
  const extra = extraPaymentOf(record);
  const returned = extra?.state === 'toBeReturned' ? extra : returnableMatter(tree);
  if (!returned) return { refused: 'notWaiting' };
  if (!journal.takes('givenBackInCash')) return { refused: 'onTrial' };
  const drawer = await drawerOf(record.intent, parts);
  const rest = returned.amount.minor;
  await journal.append(id, [
    {
      kind: 'givenBackInCash',
      who: 'OPERATOR',
      session,
      ...(rest === record.amount.minor ? {} : { amountMinor: rest.toString() }),
      ...(drawer ? { drawer } : {}),
    },
  ]);
  return 'done';
}

/** The open batch that the cash is taken from; before the first cash sale, that of the payment's acquirer. */
async function drawerOf(
  intent: Intent | undefined,
  { journal, acquirers }: ExtraParts,
): Promise<GivenBackInCash['drawer']> {
  const used = await journal.acquirers();
  const id = used.find((each) => each === 'CASH' && acquirers.includes(each)) ?? intent?.acquirerId;
  return id === undefined ? undefined : { acquirerId: id, batch: await journal.openBatch(id) };
}

function listExtra({ payment: { amount, state }, record }: OpenExtraPayment): OpenExtra {
  return { ...listRecord({ ...record, amount }), state, ofTransaction: record.request.originalId ?? '' };
}
