import type { JournalledSettlement, SettledBatch } from '../../events/settlement.ts';
import type { Journal } from '../../contracts/journal.ts';

type Known = Pick<Journal, 'settlingBatches' | 'settlementsAfter'>;

/**
 * A settlement as it stands now. A batch that had failed may have been settled since, by a late answer or by a later
 * settlement.
 */
export async function settledSince(settlement: JournalledSettlement, journal: Known): Promise<JournalledSettlement> {
  const results: SettledBatch[] = [];
  for (const each of settlement.results ?? []) {
    results.push(each.result === 'FAILED' ? await present(each, settlement, journal) : each);
  }
  return { ...settlement, results };
}

async function present(
  failed: SettledBatch,
  { id }: Pick<JournalledSettlement, 'id'>,
  journal: Known,
): Promise<SettledBatch> {
  const { acquirerId, batch } = failed;
  const { reason: _reason, ...told } = failed;
  const waiting = (await journal.settlingBatches(acquirerId)).find((each) => each.batch === batch);
  if (waiting) {
    const { currencies } = waiting;
    if (currencies.length === 0 || currencies.some(({ result }) => result === undefined)) return failed;
    const isUploaded = currencies.some(({ result }) => result === 'UPLOADED');
    const isConfirmed = currencies.some(({ result }) => result === 'CONFIRMED');
    return { ...told, result: isUploaded ? 'UPLOADED' : 'BALANCED', ...(isConfirmed ? { confirmed: true } : {}) };
  }
  for (const { results = [] } of await journal.settlementsAfter(id)) {
    const settled = results.find((each) => each.acquirerId === acquirerId && each.batch === batch);
    if (settled && settled.result !== 'FAILED') return settled;
  }
  // Nothing was settled under that number: its transactions are in another batch.
  return failed;
}
