import type { CurrencyCode } from '../../domain/currency.ts';
import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { SettlingBatch } from '../../events/settling-batch.ts';
import type { Journal } from '../../ports/journal.ts';
import { readEntries } from '../../records/batch-reader.ts';
import type { TransactionRecord } from '../../records/record.ts';
import { stands } from '../../records/standing.ts';

/**
 * Payments go on while a batch is settled, so that the host may have more in its books at that moment than the batch
 * that it is asked for.
 */
export interface PaymentsMeanwhile {
  /** Without an outcome yet, or taken back: the host may have had them for a moment. */
  readonly passing: ReadonlySet<TerminalTransactionId>;
  /** Some stand, in the open batch: the host has them, too. */
  readonly some: boolean;
}

/** Rejects with JournalError. */
export async function readPaymentsMeanwhile(
  { acquirerId, batch }: SettlingBatch,
  currency: CurrencyCode,
  journal: Pick<Journal, 'batchPage' | 'openBatch'>,
): Promise<PaymentsMeanwhile> {
  const passing = new Set<TerminalTransactionId>();
  let some = false;
  for await (const { id, record } of readEntries(journal, acquirerId, await journal.openBatch(acquirerId))) {
    if (record?.amount.currency !== currency) continue;
    if (record.reversal !== undefined || !record.conclusion) passing.add(id);
    some ||= stands(record);
  }
  for await (const { id, record } of readEntries(journal, acquirerId, batch)) {
    if (record?.amount.currency === currency && isTakenBackLate(record)) passing.add(id);
  }
  return { passing, some };
}

/** Of the closed batch itself: the host had said that it had no record of it, and approved it all the same. */
function isTakenBackLate({ reversal, lateApproval }: TransactionRecord): boolean {
  return reversal === 'queued' || lateApproval !== undefined;
}
