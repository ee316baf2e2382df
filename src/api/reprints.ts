import type { PrinterFault } from '../ports/receipt-printer.ts';
import type { RecordTree } from '../records/standing.ts';

export type ReceiptCopy = 'CUSTOMER' | 'MERCHANT';

/** Reprints of earlier receipts. Each is marked DUPLICATE. */
export interface Reprints {
  /** Prints the receipt now. Resolves to the printer's fault, or to 'no-printer'. */
  print(tree: RecordTree, copy: ReceiptCopy): Promise<PrinterFault | 'no-printer' | undefined>;
  text(tree: RecordTree, copy: ReceiptCopy): Promise<string>;
  png(tree: RecordTree, copy: ReceiptCopy): Promise<Uint8Array>;
}
