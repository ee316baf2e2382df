import type { AcquirerId } from '../../../base/domain/identifiers.ts';
import type { Journal } from '../../contracts/journal.ts';
import type { SettledBatch } from '../../events/settlement.ts';
import { sumByKind } from '../../records/batch.ts';
import { financialImpact } from '../../records/impact.ts';
import { isOf, type Whose } from '../../records/whose.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';

/**
 * Transactions that may have been paid and have no known outcome: an Octopus card that was taken away, a wallet host
 * that does not answer, or a card whose reader has not been asked since the operator decided. `whose`: only those of
 * this POS or merchant.
 */
export async function readUnresolved(
  id: AcquirerId,
  journal: Pick<Journal, 'pending' | 'read' | 'setAside'>,
  whose: Whose = {},
): Promise<Pick<SettledBatch, 'unresolved'>> {
  const waiting = (await journal.pending()).filter((each) => each.acquirerId === id && each.message === 'reversal');
  const ids = new Set([...waiting.map((each) => each.id), ...(await journal.setAside(id))]);
  const records = await Promise.all([...ids].map(async (each) => readableRecord(each, await journal.read(each))));
  const isMeant = (record: TransactionRecord) => isUnresolved(record) && isOf(record, whose);
  const unknown = records.flatMap((record) => (record && isMeant(record) ? [record] : []));
  return unknown.length === 0 ? {} : { unresolved: sumByKind(unknown) };
}

/** A payment that only the bank has confirmed has no certain outcome for the POS, but is in the totals. */
function isUnresolved(record: TransactionRecord): boolean {
  return financialImpact(record) === 'UNKNOWN' && (record.setAside === undefined || record.unverified === true);
}
