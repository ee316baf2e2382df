import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { isReopenedByNoRecord } from '../../payment/records/evidence.ts';
import { transactionRecord } from '../../payment/records/record.ts';
import type { CardParts } from './parts.ts';

/**
 * The host has no record of what a void refers to. If only the bank has confirmed that it is posted, its own reversal is
 * queued again, which the host answers by the numbers of the request itself. Rejects with JournalError.
 */
export async function reopenOriginal(
  id: TerminalTransactionId,
  { journal, forwarder }: Pick<CardParts, 'journal' | 'forwarder'>,
): Promise<void> {
  const record = transactionRecord(id, await journal.read(id));
  const { intent, numberTaken } = record;
  if (!intent || numberTaken || !isReopenedByNoRecord(record)) return;
  await forwarder.enqueue(intent.acquirerId, () =>
    journal.append(id, [{ kind: 'reversalQueued', reason: 'no record' }]),
  );
}
