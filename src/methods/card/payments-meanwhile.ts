import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { SettlingBatch } from '../../payment/events/settling-batch.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import { readEntries } from '../../payment/records/batch-reader.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { stands } from '../../payment/records/transaction-status.ts';

/**
 * Payments made while a batch is settled. Because of them the host's books may have more at that moment than the batch.
 */
export interface PaymentsMeanwhile {
  /** Payments without an outcome yet, or taken back: the host may have them only temporarily. */
  readonly passing: ReadonlySet<TerminalTransactionId>;
  /** Whether some payments of the open batch stand. The host has these, too. */
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

/**
 * Whether a transaction of the closed batch is taken back: the host first had no record of it, and approved it later.
 */
function isTakenBackLate({ reversal, lateApproval }: TransactionRecord): boolean {
  return reversal === 'queued' || lateApproval !== undefined;
}
