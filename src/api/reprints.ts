import type { PrinterFault } from '../ports/receipt-printer.ts';
import type { RecordTree } from '../records/standing.ts';

export type ReceiptCopy = 'CUSTOMER' | 'MERCHANT';

/** Receipts of what is over already. Each is marked DUPLICATE. */
export interface Reprints {
  /** Prints it now; the fault when it can't, 'no-printer' where there is none. */
  print(tree: RecordTree, copy: ReceiptCopy): Promise<PrinterFault | 'no-printer' | undefined>;
  text(tree: RecordTree, copy: ReceiptCopy): Promise<string>;
  png(tree: RecordTree, copy: ReceiptCopy): Promise<Uint8Array>;
}
