import type { AcquirerId } from '../../../base/domain/identifiers.ts';
import type { Journal } from '../../contracts/journal.ts';
import type { RejectedAdvice, SettledBatch } from '../../events/settlement.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';

/**
 * Rejected advices, which every settlement reports until the operator has decided. A record that can't be read is
 * skipped: closing its batch reports it.
 */
export async function readRejected(id: AcquirerId, journal: Journal): Promise<Pick<SettledBatch, 'rejected'>> {
  const records = await Promise.all(
    (await journal.rejectedAdvices(id)).map(async (each) => readableRecord(each, await journal.read(each))),
  );
  const rejected = records.flatMap((record) => (record ? [rejectedAdvice(record)] : []));
  return rejected.length === 0 ? {} : { rejected };
}

function rejectedAdvice({ id, request, amount, adviceAnswer }: TransactionRecord): RejectedAdvice {
  const { responseCode = '', afterSettlement } = adviceAnswer ?? {};
  const told = {
    id,
    kind: request.type,
    currency: amount.currency,
    amountMinor: amount.minor.toString(),
    responseCode,
  };
  return afterSettlement ? { ...told, afterSettlement } : told;
}
