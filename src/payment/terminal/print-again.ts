import type { Journal } from '../contracts/journal.ts';
import type { PrinterFault } from '../../base/ports/receipt-printer.ts';
import type { ReceiptDocument } from '../../receipt/document.ts';
import { recordNow } from '../records/record-tree.ts';
import type { RecordTree } from '../records/transaction-status.ts';
import type { PaperService } from './paper.ts';
import type { ReceiptService } from './receipt-service.ts';

export interface PrintAgainParts {
  readonly journal: Journal;
  readonly paper: Pick<PaperService, 'print' | 'fault'>;
  /** Absent on a terminal without a printer. */
  readonly receipts?: Pick<ReceiptService, 'tryNow'> | undefined;
}

/**
 * Prints a receipt that was printed, waits, or was never printed here. One that waits is tried in its place in the
 * queue, so it is not printed twice; the others are marked DUPLICATE if they may have been printed before. Resolves
 * with the fault that kept it from being printed.
 */
export async function printAgain(
  tree: RecordTree,
  copy: ReceiptDocument['copy'],
  { journal, paper, receipts }: PrintAgainParts,
): Promise<PrinterFault | 'no-printer' | undefined> {
  const { id, receipt, request } = tree.record;
  if (receipt === 'queued' && receipts) {
    await receipts.tryNow(id);
    if ((await recordNow(id, journal)).receipt === 'queued') return paper.fault ?? 'error';
    if (copy === 'CUSTOMER') return undefined;
  }
  const fault = await paper.print(tree, copy);
  // From now on there is a first copy.
  if (fault === undefined && receipt === undefined && request.printedBy === 'terminal') {
    await journal.append(id, [{ kind: 'receiptPrinted' }]);
  }
  return fault;
}
