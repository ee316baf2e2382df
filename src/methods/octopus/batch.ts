import { settlementTroubles as troubles } from '../../base/domain/settlement-trouble.ts';
import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import type { SettlingBatch } from '../../payment/events/settling-batch.ts';
import type { SettlementResult } from '../../payment/method/batch-settler.ts';

/** The reader's own file goes to the Octopus company, which settles by it. Totals are in HKD only. */
export async function settleOctopusBatch(
  { currencies }: SettlingBatch,
  reader: Pick<OctopusReader, 'upload'>,
): Promise<SettlementResult> {
  const sales = currencies.find(({ currency }) => currency === 'HKD')?.sales ?? { count: 0, totalMinor: '0' };
  const uploaded = await reader.upload();
  switch (uploaded.kind) {
    case 'uploaded': {
      const { count, totalMinor } = uploaded;
      if (count === sales.count && totalMinor === BigInt(sales.totalMinor)) return { result: 'BALANCED' };
      // The file is handed over and can't be taken back, so someone must compare.
      return { result: 'UPLOADED', reason: `the reader’s file has ${count} deductions of ${totalMinor} cents` };
    }
    case 'failed':
      return { result: 'FAILED', reason: `${troubles.readerRefused} (code ${uploaded.code})` };
    case 'unanswered':
      return { result: 'FAILED', reason: troubles.readerSilent };
    default:
      return uploaded satisfies never;
  }
}
