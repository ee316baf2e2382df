import type { Change } from '../../payment/contracts/changes.ts';
import { type Journal, JournalError } from '../../payment/contracts/journal.ts';
import { UnreadableRecord } from '../../payment/records/record.ts';
import { presentOf } from '../../payment/records/present.ts';
import type { RecordTree } from '../../payment/records/transaction-status.ts';
import type { ApiParts } from './call.ts';
import { settlementResponse } from './settlement.ts';
import { listed } from './transactions.ts';

/** A void of a refund of a sale makes three; no transaction refers to a void. */
const originalsMax = 4;

export type BookParts = Pick<ApiParts, 'shop' | 'reprints'> & {
  readonly terminal: Pick<ApiParts['terminal'], 'recall'>;
  readonly journal: Pick<Journal, 'readSettlement'>;
};

/**
 * A change for a fleet's books: the present entry of the list of transactions, or of the settlement's answer, and the
 * transactions that it changes, as a void changes its sale. Undefined if there is no such transaction.
 */
export async function describeChange({ id, kind }: Change, parts: BookParts) {
  if (kind === 'settlement') {
    const settlement = await parts.journal.readSettlement(id);
    return settlement && { record: settlementResponse(settlement) };
  }
  const own = await describeTransaction(id, parts);
  const originals: { id: string; record: unknown }[] = [];
  for (let next = own?.originalId; next !== undefined && originals.length < originalsMax; ) {
    const described = await describeTransaction(next, parts);
    if (described) originals.push({ id: next, record: described.record });
    next = described?.originalId;
  }
  return own && { record: own.record, originals };
}

async function describeTransaction(id: Change['id'], parts: BookParts) {
  const item = { id, posId: '', messageId: '', place: 0 };
  try {
    const tree: RecordTree | undefined = await parts.terminal.recall(id);
    if (!tree) return undefined;
    // Whether the original stands or is voided may change later. That is no change of this transaction, so the books
    // omit it.
    const { originalStands: _, originalVoided: _v, ...record } = tree.record;
    const row = listed({ ...item, kind: 'ended', record, ...presentOf({ ...tree, record }) }, parts);
    return { record: row, originalId: record.request.originalId };
  } catch (error) {
    const isKnown = error instanceof UnreadableRecord || (error instanceof JournalError && error.code === 'archive');
    if (!isKnown) throw error;
    return { record: listed({ ...item, kind: 'unreadable', reason: error.message }, parts), originalId: undefined };
  }
}
