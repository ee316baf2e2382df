import type { AcquirerId } from '../../../base/domain/identifiers.ts';
import type { Journal } from '../../contracts/journal.ts';
import type { SettledBatch } from '../../events/settlement.ts';
import { sumByKind } from '../../records/batch.ts';
import { financialImpact } from '../../records/impact.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';

/**
 * Transactions that may have been paid and have no known outcome: an Octopus card that was taken away, or a wallet host
 * that does not answer. `posId`: only those of this POS.
 */
export async function readUnresolved(
  id: AcquirerId,
  journal: Pick<Journal, 'pending' | 'read'>,
  posId?: string,
): Promise<Pick<SettledBatch, 'unresolved'>> {
  const waiting = (await journal.pending()).filter((each) => each.acquirerId === id && each.message === 'reversal');
  const records = await Promise.all(waiting.map(async (each) => readableRecord(each.id, await journal.read(each.id))));
  const isMeant = (record: TransactionRecord) =>
    financialImpact(record) === 'UNKNOWN' && (posId === undefined || record.request.posId === posId);
  const unknown = records.flatMap((record) => (record && isMeant(record) ? [record] : []));
  return unknown.length === 0 ? {} : { unresolved: sumByKind(unknown) };
}
